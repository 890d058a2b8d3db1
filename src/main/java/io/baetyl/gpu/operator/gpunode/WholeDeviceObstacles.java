package io.baetyl.gpu.operator.gpunode;

import static io.baetyl.gpu.operator.gpunode.Obstacles.when;

import io.baetyl.gpu.accelerator.Vendors;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.ConditionType;
import io.baetyl.gpu.api.v1alpha1.Device;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** What can stand in the way of whole devices being handed out. */
final class WholeDeviceObstacles {
  static final List<Function<NodeFacts, Optional<Obstacle>>> ALL =
      List.of(
          Obstacles::noNode,
          Obstacles::typeUnknown,
          WholeDeviceObstacles::typeNotKnown,
          Obstacles::wrongArchitecture,
          Obstacles::notReported,
          facts -> Obstacles.reportedFalse(facts, ConditionType.ACCELERATOR_FOUND),
          facts -> Obstacles.reportedFalse(facts, ConditionType.RUNTIME_READY),
          Obstacles::pluginBlocked,
          Obstacles::devicePluginNotRunning,
          Obstacles::pluginNotServing,
          WholeDeviceObstacles::nothingToHandOut);

  private WholeDeviceObstacles() {}

  private static Optional<Obstacle> typeNotKnown(NodeFacts facts) {
    var type = facts.inForce().type().orElseThrow();
    return when(
        !Vendors.allows(type, AllocationMode.DEVICES),
        "TypeNotSupported",
        "accelerators of type %s are not handed out: set spec.allocation to None".formatted(type));
  }

  private static Optional<Obstacle> nothingToHandOut(NodeFacts facts) {
    return when(
        facts.reported().devices().stream().noneMatch(Device::canBeHandedOut),
        "NoHealthyDevice",
        "no device of the node can be handed out: see status.devices for the reasons");
  }
}
