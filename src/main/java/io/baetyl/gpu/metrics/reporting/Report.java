package io.baetyl.gpu.metrics.reporting;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.Condition;
import io.baetyl.gpu.api.v1alpha1.ConditionType;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import java.util.Comparator;
import java.util.List;

/**
 * The fields of a GpuNode's status that this agent owns.
 *
 * @param detected the accelerator type of the node; null where it has none
 * @param devices by id
 * @param conditions AcceleratorFound and RuntimeReady
 */
record Report(AcceleratorType detected, List<Device> devices, List<Condition> conditions) {
  private static final Comparator<Device> AS_THE_VENDOR_COUNTS =
      Comparator.comparing(Device::index, Comparator.nullsLast(Comparator.naturalOrder()))
          .thenComparing(Device::id);

  Report {
    devices = devices.stream().sorted(AS_THE_VENDOR_COUNTS).toList();
    conditions = conditions.stream().sorted(Comparator.comparing(Condition::type)).toList();
  }

  /** What a status says of them now. */
  static Report in(GpuNodeStatus status) {
    return new Report(
        status.detected(),
        status.devices(),
        status.conditions().stream().filter(Report::isOurs).toList());
  }

  private static boolean isOurs(Condition condition) {
    return condition.type().equals(ConditionType.ACCELERATOR_FOUND.value())
        || condition.type().equals(ConditionType.RUNTIME_READY.value());
  }

  /** A status with these fields and no others. */
  GpuNodeStatus status() {
    return GpuNodeStatus.ofMetricsAgent(conditions, detected, devices);
  }

  /** This report with the transition times of an earlier one where nothing has flipped. */
  Report since(Report earlier) {
    return new Report(
        detected,
        devices,
        conditions.stream().map(condition -> condition.since(earlier.conditions())).toList());
  }

  /**
   * Whether somebody acts on the difference to another report, so that it must not wait: all but
   * the words and numbers that only people read.
   */
  boolean differsInDeed(Report other) {
    return !essence().equals(other.essence());
  }

  private List<Object> essence() {
    return List.of(
        detected == null ? "none" : detected,
        devices.stream()
            .map(
                device ->
                    new Device(
                        device.id(),
                        null,
                        device.path(),
                        null,
                        device.memoryMiB(),
                        null,
                        device.units(),
                        device.health(),
                        null))
            .toList(),
        conditions.stream()
            .map(condition -> List.of(condition.type(), condition.status(), condition.reason()))
            .toList());
  }
}
