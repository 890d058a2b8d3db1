package io.baetyl.gpu.metrics.reporting;

import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.RuntimeFinding;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.Condition;
import io.baetyl.gpu.api.v1alpha1.ConditionType;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.metrics.watching.Survey;
import io.baetyl.gpu.metrics.watching.WatchedDevice;
import io.baetyl.gpu.model.ShareRules;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Puts what was seen into the terms of the API. Pure. */
final class Findings {
  private Findings() {}

  /**
   * The report about a node.
   *
   * @param node as it is at the API server
   * @param counting the devices to list
   * @param rules by which its cards are shared; empty where they are not
   */
  static Report report(
      GpuNode node,
      Survey survey,
      List<WatchedDevice> counting,
      Optional<ShareRules> rules,
      RuntimeFinding runtime,
      Instant now) {
    var detected = counting.isEmpty() ? null : survey.type();
    var conditions =
        List.of(
            AcceleratorFound.condition(wanted(node), survey, counting),
            runtimeReady(runtime, !counting.isEmpty()));
    return new Report(
        detected,
        counting.stream().map(watched -> device(watched, rules)).toList(),
        conditions.stream().map(condition -> stamped(condition, node, now)).toList());
  }

  /** The type that the node is to have; empty where whatever is found is right. */
  private static Optional<AcceleratorType> wanted(GpuNode node) {
    return Optional.ofNullable(node.specOrEmpty().accelerator())
        .or(() -> Optional.ofNullable(node.statusOrEmpty().accelerator()));
  }

  private static Device device(WatchedDevice watched, Optional<ShareRules> rules) {
    FoundDevice device = watched.device();
    return new Device(
        device.id(),
        device.index(),
        device.path(),
        device.model(),
        device.memoryMiB(),
        rules.map(known -> known.unusableMiBOf(device.memoryMiB())).orElse(null),
        rules.map(known -> known.unitsOf(device.memoryMiB())).orElse(null),
        watched.health(),
        watched.healthReason());
  }

  private static Condition runtimeReady(RuntimeFinding runtime, boolean hasDevices) {
    // Without a card there is no driver either that could be given, so that nothing can be said.
    var status =
        runtime.ready() ? Condition.TRUE : hasDevices ? Condition.FALSE : Condition.UNKNOWN;
    return new Condition(
        ConditionType.RUNTIME_READY.value(),
        status,
        runtime.reason(),
        runtime.message(),
        null,
        null);
  }

  private static Condition stamped(Condition condition, GpuNode node, Instant now) {
    return new Condition(
        condition.type(),
        condition.status(),
        condition.reason(),
        condition.message(),
        now.toString(),
        node.getMetadata().getGeneration());
  }
}
