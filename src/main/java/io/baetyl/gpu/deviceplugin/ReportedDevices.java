package io.baetyl.gpu.deviceplugin;

import io.baetyl.gpu.accelerator.Requirements;
import io.baetyl.gpu.api.v1alpha1.Condition;
import io.baetyl.gpu.api.v1alpha1.ConditionType;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.deviceplugin.wholedevices.WholeDevices;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The devices of one type that the metrics agent reports. Thread-safe. */
final class ReportedDevices implements Supplier<Optional<WholeDevices>> {
  private final Requirements requirements;
  private final Supplier<GpuNodeStatus> status;
  private volatile Optional<String> offeredAs = Optional.empty();

  ReportedDevices(Requirements requirements, Supplier<GpuNodeStatus> status) {
    this.requirements = requirements;
    this.status = status;
  }

  /**
   * What there is. None once those that were there are gone, still under their resource, so that
   * the kubelet is told; empty while none has ever been reported.
   */
  @Override
  public Optional<WholeDevices> get() {
    var reported = status.get();
    if (reported.detected() == requirements.type()) {
      offeredAs = Optional.of(requirements.resourceName(reported.devices()));
      return offeredAs.map(resource -> new WholeDevices(resource, reported.devices()));
    }
    return Condition.find(reported.conditions(), ConditionType.ACCELERATOR_FOUND)
        .flatMap(looked -> offeredAs)
        .map(resource -> new WholeDevices(resource, List.of()));
  }
}
