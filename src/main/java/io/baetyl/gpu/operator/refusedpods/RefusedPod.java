package io.baetyl.gpu.operator.refusedpods;

import io.baetyl.gpu.operator.events.OperatorEvent;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A pod that failed because its kubelet refused it.
 *
 * @param pod with phase Failed
 * @param controller what made the pod, and makes another in its place
 */
record RefusedPod(Pod pod, OwnerReference controller) {
  /** The kubelet's word for it, {@code pkg/kubelet/lifecycle/predicate.go}. */
  static final String REASON = "UnexpectedAdmissionError";

  /** Long enough for somebody who looks on to see it. */
  static final Duration SHOWN = Duration.ofMinutes(1);

  /**
   * The pod as one to be deleted; empty where it failed otherwise, does not ask for a resource of
   * ours, has no controller that replaces it, or failed only just now.
   *
   * @param resources the extended resources that are ours on its node
   */
  static Optional<RefusedPod> of(Pod pod, Collection<String> resources, Instant now) {
    return isRefused(pod) && asksFor(pod, resources) && isOld(pod, now)
        ? pod.getMetadata().getOwnerReferences().stream()
            .filter(owner -> Boolean.TRUE.equals(owner.getController()))
            // Told apart from a pod that its node itself keeps.
            .filter(owner -> !owner.getKind().equals("Node"))
            .findFirst()
            .map(owner -> new RefusedPod(pod, owner))
        : Optional.empty();
  }

  private static boolean isRefused(Pod pod) {
    return "Failed".equals(pod.getStatus().getPhase())
        && REASON.equals(pod.getStatus().getReason());
  }

  private static boolean asksFor(Pod pod, Collection<String> resources) {
    return Stream.concat(
            pod.getSpec().getContainers().stream(), pod.getSpec().getInitContainers().stream())
        .map(Container::getResources)
        .anyMatch(
            wanted ->
                wanted != null
                    && wanted.getLimits() != null
                    && wanted.getLimits().keySet().stream().anyMatch(resources::contains));
  }

  /** The kubelet's start time of a pod that it refused is the time of the refusal. */
  private static boolean isOld(Pod pod, Instant now) {
    var since =
        Optional.ofNullable(pod.getStatus().getStartTime())
            .orElse(pod.getMetadata().getCreationTimestamp());
    return Instant.parse(since).plus(SHOWN).isBefore(now);
  }

  /** Says to the owner's reader what was deleted and why; the kubelet's own Event goes unseen. */
  Event deleted(Instant now) {
    var owner =
        new ObjectReferenceBuilder()
            .withApiVersion(controller.getApiVersion())
            .withKind(controller.getKind())
            .withNamespace(pod.getMetadata().getNamespace())
            .withName(controller.getName())
            .withUid(controller.getUid())
            .build();
    var message =
        "Deleted pod %s, which the kubelet of node %s had refused: %s"
            .formatted(
                pod.getMetadata().getName(),
                pod.getSpec().getNodeName(),
                pod.getStatus().getMessage());
    return OperatorEvent.about(owner, "Warning", "RefusedPodDeleted", message, now);
  }
}
