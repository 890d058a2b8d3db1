package io.baetyl.gpu.operator.components;

import static java.util.stream.Collectors.toUnmodifiableSet;

import io.baetyl.gpu.api.v1alpha1.Component;
import io.baetyl.gpu.api.v1alpha1.ComponentState;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentCondition;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * How the components are, from their workloads and pods.
 *
 * @param pods of all components
 * @param deployments of those that run once
 * @param troubles what the operator could not bring up to date
 * @param now to tell what takes too long
 */
public record ComponentStates(
    Collection<Pod> pods, Collection<Deployment> deployments, Troubles troubles, Instant now) {

  /**
   * A component that runs once on each node.
   *
   * @param refusal why the API server lets it have no pods, where it said so
   */
  public Component onNode(String name, String node, Optional<String> refusal) {
    var trouble =
        Optional.ofNullable(troubles.ofComponents().get(name))
            .or(
                () ->
                    Optional.ofNullable(troubles.ofNodes().get(node))
                        .map(reason -> "the node cannot be labelled: " + reason));
    return withTrouble(ofPods(name, node, refusal), trouble);
  }

  private Component ofPods(String name, String node, Optional<String> refusal) {
    return pod(name, pod -> isFor(pod, node))
        .map(pod -> PodTrouble.of(name, pod, now))
        .orElseGet(
            () ->
                refusal
                    .map(message -> new Component(name, ComponentState.FAILED, message))
                    .orElseGet(() -> pending(name, "it has no pod on the node yet")));
  }

  /** A component that runs once in the cluster. */
  public Component once(String name) {
    return withTrouble(ofDeployment(name), Optional.ofNullable(troubles.ofComponents().get(name)));
  }

  /** What cannot be brought up to date may well run; else this is what has to be mended first. */
  private static Component withTrouble(Component seen, Optional<String> trouble) {
    return trouble
        .map(
            reason ->
                seen.state() == ComponentState.RUNNING
                    ? new Component(
                        seen.name(),
                        seen.state(),
                        "it runs, but cannot be brought up to date: " + reason)
                    : new Component(
                        seen.name(), ComponentState.FAILED, "it cannot be deployed: " + reason))
        .orElse(seen);
  }

  private Component ofDeployment(String name) {
    var deployment =
        deployments.stream()
            .filter(candidate -> candidate.getMetadata().getName().equals(name))
            .findFirst();
    if (deployment.isEmpty()) {
      return pending(name, "it is about to be deployed");
    }
    if (isAvailable(deployment.get())) {
      return new Component(name, ComponentState.RUNNING, null);
    }
    return pod(name, pod -> true)
        .map(pod -> PodTrouble.of(name, pod, now))
        .filter(component -> component.state() != ComponentState.RUNNING)
        .or(
            () ->
                refusal(deployment.get())
                    .map(message -> new Component(name, ComponentState.FAILED, message)))
        .orElseGet(() -> pending(name, "its pod is not available yet"));
  }

  private static boolean isAvailable(Deployment deployment) {
    var status = deployment.getStatus();
    return status != null
        && status.getObservedGeneration() != null
        && status.getObservedGeneration() >= deployment.getMetadata().getGeneration()
        && status.getUpdatedReplicas() != null
        && status.getUpdatedReplicas() > 0
        && status.getAvailableReplicas() != null
        && status.getAvailableReplicas() > 0;
  }

  private static Optional<String> refusal(Deployment deployment) {
    return deployment.getStatus() == null
        ? Optional.empty()
        : deployment.getStatus().getConditions().stream()
            .filter(condition -> condition.getType().equals("ReplicaFailure"))
            .map(DeploymentCondition::getMessage)
            .map(Refusals::explain)
            .findFirst();
  }

  private static Component pending(String name, String message) {
    return new Component(name, ComponentState.PENDING, message);
  }

  /** The newest pod that is not on its way out, else one that is. */
  private Optional<Pod> pod(String name, Predicate<Pod> wanted) {
    return pods.stream()
        .filter(pod -> Names.isOf(pod, name))
        .filter(wanted)
        .max(
            Comparator.comparing((Pod pod) -> pod.getMetadata().getDeletionTimestamp() == null)
                .thenComparing(pod -> pod.getMetadata().getCreationTimestamp()));
  }

  /** The nodes that have a pod of a component, be it one that is about to leave. */
  public Set<String> nodesWith(String name) {
    return pods.stream()
        .filter(pod -> Names.isOf(pod, name))
        .flatMap(pod -> nodeOf(pod).stream())
        .collect(toUnmodifiableSet());
  }

  /** Whether a component has a pod on a node, be it one that is about to leave. */
  public boolean isOn(String name, String node) {
    return pod(name, pod -> isFor(pod, node)).isPresent();
  }

  /** Whether some device plugin has a pod on a node, be it one that is about to leave. */
  public boolean hasDevicePlugin(String node) {
    return pods.stream().anyMatch(pod -> Names.isOfDevicePlugin(pod) && isFor(pod, node));
  }

  private static boolean isFor(Pod pod, String node) {
    return nodeOf(pod).filter(node::equals).isPresent();
  }

  /**
   * The node that a pod is on or is to be on: a DaemonSet's pod that is not scheduled yet names its
   * node in its affinity only.
   */
  public static Optional<String> nodeOf(Pod pod) {
    var spec = pod.getSpec();
    if (spec.getNodeName() != null) {
      return Optional.of(spec.getNodeName());
    }
    var affinity = spec.getAffinity() == null ? null : spec.getAffinity().getNodeAffinity();
    var required =
        affinity == null ? null : affinity.getRequiredDuringSchedulingIgnoredDuringExecution();
    return required == null
        ? Optional.empty()
        : required.getNodeSelectorTerms().stream()
            .map(NodeSelectorTerm::getMatchFields)
            .flatMap(fields -> fields == null ? Stream.empty() : fields.stream())
            .flatMap(field -> field.getValues().stream())
            .findFirst();
  }
}
