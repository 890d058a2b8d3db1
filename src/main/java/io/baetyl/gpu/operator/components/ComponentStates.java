package io.baetyl.gpu.operator.components;

import io.baetyl.gpu.api.v1alpha1.Component;
import io.baetyl.gpu.api.v1alpha1.ComponentState;
import io.baetyl.gpu.api.v1alpha1.WellKnownLabels;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentCondition;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * How the components are, from their workloads and pods.
 *
 * @param pods of all components
 * @param deployments of those that run once
 */
public record ComponentStates(Collection<Pod> pods, Collection<Deployment> deployments) {

  /**
   * A component that runs once on each node.
   *
   * @param refusal why the API server lets it have no pods, where it said so
   */
  public Component onNode(String name, String node, Optional<String> refusal) {
    return pod(name, pod -> isFor(pod, node))
        .map(pod -> PodTrouble.of(name, pod))
        .orElseGet(
            () ->
                refusal
                    .map(message -> new Component(name, ComponentState.FAILED, message))
                    .orElseGet(() -> pending(name, "it has no pod on the node yet")));
  }

  /** A component that runs once in the cluster. */
  public Component once(String name) {
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
        .map(pod -> PodTrouble.of(name, pod))
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
        .filter(pod -> name.equals(pod.getMetadata().getLabels().get(WellKnownLabels.NAME)))
        .filter(wanted)
        .max(
            Comparator.comparing((Pod pod) -> pod.getMetadata().getDeletionTimestamp() == null)
                .thenComparing(pod -> pod.getMetadata().getCreationTimestamp()));
  }

  /** Whether a component has a pod on a node, be it one that is about to leave. */
  public boolean isOn(String name, String node) {
    return pod(name, pod -> isFor(pod, node)).isPresent();
  }

  /** A DaemonSet's pod that is not scheduled yet names its node in its affinity only. */
  private static boolean isFor(Pod pod, String node) {
    var spec = pod.getSpec();
    if (spec.getNodeName() != null) {
      return spec.getNodeName().equals(node);
    }
    var affinity = spec.getAffinity() == null ? null : spec.getAffinity().getNodeAffinity();
    var required =
        affinity == null ? null : affinity.getRequiredDuringSchedulingIgnoredDuringExecution();
    return required != null
        && required.getNodeSelectorTerms().stream()
            .map(NodeSelectorTerm::getMatchFields)
            .flatMap(fields -> fields == null ? Stream.empty() : fields.stream())
            .anyMatch(field -> field.getValues().contains(node));
  }
}
