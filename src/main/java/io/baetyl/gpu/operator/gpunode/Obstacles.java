package io.baetyl.gpu.operator.gpunode;

import static io.baetyl.gpu.operator.gpunode.NodeFacts.runs;

import io.baetyl.gpu.accelerator.Vendors;
import io.baetyl.gpu.api.v1alpha1.Component;
import io.baetyl.gpu.api.v1alpha1.ComponentState;
import io.baetyl.gpu.api.v1alpha1.ConditionType;
import io.baetyl.gpu.api.v1alpha1.Monitoring;
import io.baetyl.gpu.api.v1alpha1.PluginState;
import io.baetyl.gpu.operator.events.StartReasons;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;

/** What can stand in the way, as questions; the first that has an answer is reported. */
final class Obstacles {
  private static final String ARCHITECTURE = "kubernetes.io/arch";

  /** Of metrics being served. */
  static final List<Function<NodeFacts, Optional<Obstacle>>> TO_MONITORING =
      List.of(
          Obstacles::noNode,
          Obstacles::noAccelerator,
          Obstacles::monitoringDisabled,
          Obstacles::metricsNotRunning);

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

  static Optional<Obstacle> typeUnknown(NodeFacts facts) {
    return when(
        facts.inForce().type().isEmpty(),
        "TypeUnknown",
        "no accelerator has been found on the node yet: set spec.accelerator if the type is known");
  }

  static Optional<Obstacle> wrongArchitecture(NodeFacts facts) {
    var type = facts.inForce().type().orElseThrow();
    var possible = Vendors.requirements(type).orElseThrow().architectures();
    var architecture = facts.nodeLabels().orElseThrow().get(ARCHITECTURE);
    return when(
        architecture != null && !possible.contains(architecture),
        "WrongArchitecture",
        "type %s is of nodes with the architecture %s, and this one has %s: set spec.accelerator to the type that the node has"
            .formatted(type, String.join(" or ", new TreeSet<>(possible)), architecture));
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

  /** Its pod is not ready then, which does not tell why. */
  static Optional<Obstacle> pluginBlocked(NodeFacts facts) {
    var plugin = facts.reported().plugin();
    return when(
        plugin != null && plugin.state() == PluginState.BLOCKED && countsAsWanted(facts),
        "PluginBlocked",
        plugin == null ? null : plugin.message());
  }

  static Optional<Obstacle> devicePluginNotRunning(NodeFacts facts) {
    return facts.devicePlugin().flatMap(Obstacles::notRunning);
  }

  static Optional<Obstacle> pluginNotServing(NodeFacts facts) {
    var plugin = facts.reported().plugin();
    boolean serving =
        plugin != null && plugin.state() == PluginState.SERVING && countsAsWanted(facts);
    return when(
        !serving,
        StartReasons.NOT_SERVING,
        plugin == null || plugin.state() == PluginState.SERVING || plugin.message() == null
            ? "the device plugin has not registered with the kubelet yet"
            : plugin.message());
  }

  /** One that hands out in another way may not have left yet. */
  private static boolean countsAsWanted(NodeFacts facts) {
    var resource = facts.reported().plugin().resourceName();
    return facts.inForce().type().filter(facts.reported()::isPluginOfOtherThan).isEmpty()
        && (resource == null || facts.resourceName().filter(resource::equals).isPresent());
  }

  private static Optional<Obstacle> notRunning(Component component) {
    return notRunning(component, StartReasons.COMPONENT, "ComponentNotReady");
  }

  static Optional<Obstacle> notRunning(Component component, String starting, String failed) {
    return when(
        !runs(component),
        component.state() == ComponentState.PENDING ? starting : failed,
        "%s: %s".formatted(component.name(), component.message()));
  }

  static Optional<Obstacle> when(boolean holds, String reason, String message) {
    return holds ? Optional.of(new Obstacle(reason, message)) : Optional.empty();
  }
}
