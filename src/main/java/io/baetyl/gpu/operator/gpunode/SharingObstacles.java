package io.baetyl.gpu.operator.gpunode;

import static io.baetyl.gpu.operator.gpunode.Obstacles.when;
import static java.util.stream.Collectors.joining;

import io.baetyl.gpu.accelerator.Vendors;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.Component;
import io.baetyl.gpu.api.v1alpha1.ConditionType;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.Monitoring;
import io.baetyl.gpu.operator.events.StartReasons;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** What can stand in the way of memory being shared. */
final class SharingObstacles {
  static final List<Function<NodeFacts, Optional<Obstacle>>> ALL =
      List.of(
          Obstacles::noNode,
          Obstacles::typeUnknown,
          SharingObstacles::typeNotShareable,
          Obstacles::wrongArchitecture,
          SharingObstacles::profileTaken,
          SharingObstacles::profileNotFound,
          Obstacles::notReported,
          facts -> Obstacles.reportedFalse(facts, ConditionType.ACCELERATOR_FOUND),
          facts -> Obstacles.reportedFalse(facts, ConditionType.RUNTIME_READY),
          SharingObstacles::noRoomForAUnit,
          Obstacles::pluginBlocked,
          Obstacles::devicePluginNotRunning,
          Obstacles::pluginNotServing,
          SharingObstacles::nothingToShare,
          facts -> schedulerNotRunning(facts.extender()),
          facts -> schedulerNotRunning(facts.scheduler()),
          SharingObstacles::sharingUnwatched);

  private SharingObstacles() {}

  private static Optional<Obstacle> typeNotShareable(NodeFacts facts) {
    var type = facts.inForce().type().orElseThrow();
    return when(
        !Vendors.allows(type, AllocationMode.SHARED),
        "TypeNotShareable",
        "only accelerators of type %s can be shared, and this node's type is %s: set spec.allocation to None"
            .formatted(shareable(), type));
  }

  private static String shareable() {
    return Vendors.types().stream()
        .filter(known -> Vendors.allows(known, AllocationMode.SHARED))
        .map(AcceleratorType::value)
        .collect(joining(" or "));
  }

  private static Optional<Obstacle> profileTaken(NodeFacts facts) {
    var choice = facts.inForce().profile();
    return when(
        choice.rival() != null,
        "ProfileNotReady",
        "GpuShareProfile %s has the resourceName of GpuShareProfile %s, which was there before: share by that one, or give %s a resourceName of its own"
            .formatted(choice.name(), choice.rival(), choice.name()));
  }

  private static Optional<Obstacle> profileNotFound(NodeFacts facts) {
    var choice = facts.inForce().profile();
    return when(
        choice.profile().isEmpty(),
        "ProfileNotFound",
        choice.usable().isEmpty() ? applyProfile(choice.name()) : nameProfile(facts));
  }

  private static String nameProfile(NodeFacts facts) {
    var choice = facts.inForce().profile();
    var named = facts.gpuNode().specOrEmpty().shareProfile() != null;
    return "%s. Set spec.shareProfile to one that is there: %s"
        .formatted(
            named
                ? "there is no GpuShareProfile " + choice.name()
                : "no GpuShareProfile selects the node, and there is none named " + choice.name(),
            String.join(", ", choice.usable()));
  }

  private static String applyProfile(String name) {
    return """
        there is no GpuShareProfile %1$s. Apply one:
        apiVersion: gpu.baetyl.io/v1alpha1
        kind: GpuShareProfile
        metadata:
          name: %1$s
        spec:
          resourceName: baidu.com/vcuda-memory
          unit: 256Mi
        """
        .formatted(name)
        .strip();
  }

  private static Optional<Obstacle> noRoomForAUnit(NodeFacts facts) {
    var healthy = facts.reported().devices().stream().filter(Device::canBeHandedOut).toList();
    var rules = facts.inForce().rules().inForce().orElseThrow();
    return when(
        !healthy.isEmpty()
            && healthy.stream().allMatch(card -> card.units() != null && card.units() == 0),
        "NoRoomForAUnit",
        "reservedPerCard %s of GpuShareProfile %s leaves no unit of %s on any card (%s): make it smaller"
            .formatted(
                rules.sharing().reservedPerCard(),
                rules.profile(),
                rules.sharing().unit(),
                healthy.stream()
                    .map(card -> "%s has %d MiB".formatted(card.id(), card.memoryMiB()))
                    .collect(joining(", "))));
  }

  private static Optional<Obstacle> nothingToShare(NodeFacts facts) {
    boolean some =
        facts.reported().devices().stream()
            .anyMatch(
                // Until the metrics agent has divided a card by new rules, it has no units.
                device ->
                    (device.units() == null || device.units() > 0) && device.canBeHandedOut());
    return when(
        !some,
        "NoHealthyDevice",
        "no card of the node can be handed out: see status.devices for the reasons");
  }

  private static Optional<Obstacle> sharingUnwatched(NodeFacts facts) {
    return when(
        facts.gpuNode().specOrEmpty().monitoringInForce() == Monitoring.DISABLED,
        "MonitoringDisabled",
        "pods share the cards, but nobody sees what they use beyond what they asked for: sharing needs monitoring, so set spec.monitoring to Enabled or remove it");
  }

  private static Optional<Obstacle> schedulerNotRunning(Component component) {
    return Obstacles.notRunning(component, StartReasons.SCHEDULER, "SchedulerNotReady");
  }
}
