package io.baetyl.gpu.deviceplugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.accelerator.Vendors;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.Condition;
import io.baetyl.gpu.api.v1alpha1.ConditionType;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.deviceplugin.wholedevices.WholeDevices;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ReportedDevicesTest {
  private static final Condition LOOKED =
      new Condition(
          ConditionType.ACCELERATOR_FOUND.value(), Condition.FALSE, "None", "none", null, null);

  private final AtomicReference<GpuNodeStatus> status = new AtomicReference<>();
  private final ReportedDevices devices =
      new ReportedDevices(Vendors.requirements(AcceleratorType.ASCEND).orElseThrow(), status::get);

  private void report(AcceleratorType detected, List<Condition> conditions, Device... found) {
    status.set(GpuNodeStatus.ofMetricsAgent(conditions, detected, List.of(found)));
  }

  @Test
  void nothingIsOfferedBeforeTheAgentHasFoundAny() {
    report(null, List.of(LOOKED));

    assertThat(devices.get()).isEmpty();
  }

  @Test
  void theKubeletIsToldThatTheLastOneIsGone() {
    report(AcceleratorType.ASCEND, List.of(LOOKED), chip("Ascend310P3"));
    assertThat(devices.get()).map(WholeDevices::devices).map(List::size).hasValue(1);
    report(null, List.of(LOOKED));

    assertThat(devices.get()).hasValue(new WholeDevices("huawei.com/Ascend310P", List.of()));
  }

  /** A status that somebody has emptied says nothing about the devices. */
  @Test
  void nothingIsKnownWhereNothingIsReported() {
    report(AcceleratorType.ASCEND, List.of(LOOKED), chip("Ascend310"));
    devices.get();
    report(null, List.of());

    assertThat(devices.get()).isEqualTo(Optional.empty());
  }

  private static Device chip(String model) {
    return new Device("VDie1", 0, "/dev/davinci0", model, 21527L, null, null, Health.HEALTHY, null);
  }
}
