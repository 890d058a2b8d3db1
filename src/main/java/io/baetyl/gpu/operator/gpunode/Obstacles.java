package io.baetyl.gpu.operator.gpunode;

import static io.baetyl.gpu.operator.gpunode.NodeFacts.runs;
import static java.util.stream.Collectors.joining;

import io.baetyl.gpu.accelerator.nvidia.NvidiaRequirements;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.Component;
import io.baetyl.gpu.api.v1alpha1.ComponentState;
import io.baetyl.gpu.api.v1alpha1.ConditionType;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.Monitoring;
import io.baetyl.gpu.api.v1alpha1.PluginState;
import io.baetyl.gpu.operator.events.StartReasons;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** What can stand in the way, as lists of questions; the first that has an answer is reported. */
final class Obstacles {
  private static final String ARCHITECTURE = "kubernetes.io/arch";

  /** Of metrics being served. */
  static final List<Function<NodeFacts, Optional<Obstacle>>> TO_MONITORING =
      List.of(
          Obstacles::noNode,
          Obstacles::noAccelerator,
          Obstacles::monitoringDisabled,
          Obstacles::metricsNotRunning);

  /** Of memory being shared. */
  static final List<Function<NodeFacts, Optional<Obstacle>>> TO_SHARING =
      List.of(
          Obstacles::noNode,
          Obstacles::typeUnknown,
          Obstacles::typeNotShareable,
          Obstacles::wrongArchitecture,
          Obstacles::profileTaken,
          Obstacles::profileNotFound,
          Obstacles::notReported,
          facts -> reportedFalse(facts, ConditionType.ACCELERATOR_FOUND),
          facts -> reportedFalse(facts, ConditionType.RUNTIME_READY),
          Obstacles::devicePluginNotRunning,
          Obstacles::pluginNotServing,
          Obstacles::noRoomForAUnit,
          Obstacles::nothingToShare,
          facts -> schedulerNotRunning(facts.extender()),
          facts -> schedulerNotRunning(facts.scheduler()),
          Obstacles::sharingUnwatched);

  private Obstacles() {}

  static Optional<Obstacle> first(
      List<Function<NodeFacts, Optional<Obstacle>>> questions, NodeFacts facts) {
    return questions.stream()
        .map(question -> question.apply(facts))
        .flatMap(Optional::stream)
        .findFirst();
  }

  static Optional<Obstacle> noNode(NodeFacts facts) {
    return when(
        facts.nodeLabels().isEmpty(),
        "NodeNotFound",
        "there is no node %s: a GpuNode has the name of its Kubernetes node"
            .formatted(facts.name()));
  }

  private static Optional<Obstacle> noAccelerator(NodeFacts facts) {
    return when(
        !facts.inForce().watched(), "NoAccelerator", "the node has no accelerator to watch");
  }

  private static Optional<Obstacle> monitoringDisabled(NodeFacts facts) {
    return when(
        facts.gpuNode().specOrEmpty().monitoringInForce() == Monitoring.DISABLED,
        "MonitoringDisabled",
        "spec.monitoring is Disabled");
  }

  private static Optional<Obstacle> metricsNotRunning(NodeFacts facts) {
    return notRunning(facts.metrics());
  }

  private static Optional<Obstacle> typeUnknown(NodeFacts facts) {
    return when(
        facts.inForce().type().isEmpty(),
        "TypeUnknown",
        "no accelerator has been found on the node yet: set spec.accelerator if the type is known");
  }

  private static Optional<Obstacle> typeNotShareable(NodeFacts facts) {
    var type = facts.inForce().type().orElseThrow();
    return when(
        type != AcceleratorType.NVIDIA,
        "TypeNotShareable",
        "only NVIDIA cards can be shared, and this node's type is %s: set spec.allocation to None"
            .formatted(type));
  }

  private static Optional<Obstacle> wrongArchitecture(NodeFacts facts) {
    var needed = NvidiaRequirements.REQUIREMENTS.architecture();
    var architecture = facts.nodeLabels().orElseThrow().getOrDefault(ARCHITECTURE, needed);
    return when(
        !architecture.equals(needed),
        "WrongArchitecture",
        "NVIDIA cards are shared on amd64, and this node is %s: for a Jetson set spec.accelerator to jetson"
            .formatted(architecture));
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

  static Optional<Obstacle> notReported(NodeFacts facts) {
    return facts.reported(ConditionType.ACCELERATOR_FOUND).isPresent()
        ? Optional.empty()
        : notRunning(facts.metrics())
            .or(
                () ->
                    Optional.of(
                        new Obstacle(
                            StartReasons.NOT_REPORTED,
                            "the metrics agent has not yet said what is on the node")));
  }

  static Optional<Obstacle> reportedFalse(NodeFacts facts, ConditionType type) {
    return facts
        .reported(type)
        .filter(condition -> !condition.isTrue())
        .map(condition -> new Obstacle(condition.reason(), condition.message()));
  }

  /** What runs does its work, but somebody waits for a change that does not come. */
  static Optional<Obstacle> outdated(NodeFacts facts) {
    return facts.components().stream()
        .filter(component -> runs(component) && component.message() != null)
        .findFirst()
        .map(
            component ->
                new Obstacle(
                    "ComponentOutdated",
                    "%s: %s".formatted(component.name(), component.message())));
  }

  private static Optional<Obstacle> devicePluginNotRunning(NodeFacts facts) {
    return notRunning(facts.devicePlugin());
  }

  private static Optional<Obstacle> pluginNotServing(NodeFacts facts) {
    var plugin = facts.reported().plugin();
    boolean serving = plugin != null && plugin.state() == PluginState.SERVING;
    return when(
        !serving,
        StartReasons.NOT_SERVING,
        plugin == null || plugin.message() == null
            ? "the device plugin has not registered with the kubelet yet"
            : plugin.message());
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

  private static Optional<Obstacle> notRunning(Component component) {
    return notRunning(component, StartReasons.COMPONENT, "ComponentNotReady");
  }

  private static Optional<Obstacle> schedulerNotRunning(Component component) {
    return notRunning(component, StartReasons.SCHEDULER, "SchedulerNotReady");
  }

  private static Optional<Obstacle> notRunning(
      Component component, String starting, String failed) {
    return when(
        !runs(component),
        component.state() == ComponentState.PENDING ? starting : failed,
        "%s: %s".formatted(component.name(), component.message()));
  }

  private static Optional<Obstacle> when(boolean holds, String reason, String message) {
    return holds ? Optional.of(new Obstacle(reason, message)) : Optional.empty();
  }
}
