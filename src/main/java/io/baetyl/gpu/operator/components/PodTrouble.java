package io.baetyl.gpu.operator.components;

import io.baetyl.gpu.api.v1alpha1.Component;
import io.baetyl.gpu.api.v1alpha1.ComponentState;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What keeps a component's pod from running, in words that do not change while the trouble stays
 * the same: the kubelet's own name the seconds of a back-off.
 */
final class PodTrouble {
  /**
   * Within this a container is there, unless its image is large or the kubelet misses something.
   */
  private static final Duration CREATION = Duration.ofMinutes(1);

  /** The startup probes give a container one minute, besides the pull of its image. */
  private static final Duration START = Duration.ofMinutes(2);

  private static final String CREATING = "ContainerCreating";

  private PodTrouble() {}

  static Component of(String name, Pod pod, Instant now) {
    if (pod.getMetadata().getDeletionTimestamp() != null) {
      return new Component(name, ComponentState.PENDING, "its pod is about to end");
    }
    if (isReady(pod)) {
      return new Component(name, ComponentState.RUNNING, null);
    }
    return pod.getStatus().getContainerStatuses().stream()
        .map(container -> failure(pod, container))
        .flatMap(Optional::stream)
        .findFirst()
        .map(message -> new Component(name, ComponentState.FAILED, message))
        .orElseGet(
            () ->
                new Component(
                    name,
                    lasts(pod, now) ? ComponentState.FAILED : ComponentState.PENDING,
                    unscheduled(pod)
                        .or(() -> notCreated(pod, now))
                        .or(() -> nodeIsLost(pod))
                        .or(() -> notReady(pod, now))
                        .orElse("its pod is starting, or not ready")));
  }

  /** The kubelet says in Events only what keeps it from creating a container. */
  private static Optional<String> notCreated(Pod pod, Instant now) {
    var began = pod.getStatus().getStartTime();
    boolean tooLong = began != null && Instant.parse(began).plus(CREATION).isBefore(now);
    boolean creating =
        pod.getStatus().getContainerStatuses().stream()
            .flatMap(container -> waiting(container).stream())
            .anyMatch(waiting -> CREATING.equals(waiting.getReason()));
    return tooLong && creating
        ? Optional.of(
            "its container has not been created for more than a minute: see what is missing with kubectl describe pod -n %s %s; where it is a folder of the kubelet, set GPU_KUBELET_DIR of the operator"
                .formatted(pod.getMetadata().getNamespace(), pod.getMetadata().getName()))
        : Optional.empty();
  }

  private static Optional<String> notReady(Pod pod, Instant now) {
    return lasts(pod, now)
        ? Optional.of(
            "its pod has not been ready for two minutes: see kubectl describe pod -n %s %s"
                .formatted(pod.getMetadata().getNamespace(), pod.getMetadata().getName()))
        : Optional.empty();
  }

  /** Whether the pod has not been ready for longer than a start takes. */
  private static boolean lasts(Pod pod, Instant now) {
    var since =
        condition(pod, "Ready")
            .map(PodCondition::getLastTransitionTime)
            .orElse(pod.getMetadata().getCreationTimestamp());
    return Instant.parse(since).plus(START).isBefore(now);
  }

  private static boolean isReady(Pod pod) {
    return isTrue(pod, "Ready");
  }

  /** Of a node that it hears nothing of, the node controller takes Ready alone from the pods. */
  private static Optional<String> nodeIsLost(Pod pod) {
    return isTrue(pod, "ContainersReady")
        ? Optional.of(
            "its node does not answer, or has only just come back: see kubectl describe node "
                + pod.getSpec().getNodeName())
        : Optional.empty();
  }

  private static boolean isTrue(Pod pod, String type) {
    return condition(pod, type).filter(known -> known.getStatus().equals("True")).isPresent();
  }

  private static Optional<String> unscheduled(Pod pod) {
    return condition(pod, "PodScheduled")
        .filter(scheduled -> scheduled.getStatus().equals("False"))
        .map(PodCondition::getMessage);
  }

  private static Optional<PodCondition> condition(Pod pod, String type) {
    return pod.getStatus().getConditions().stream()
        .filter(condition -> condition.getType().equals(type))
        .findFirst();
  }

  private static Optional<ContainerStateWaiting> waiting(ContainerStatus container) {
    return Optional.ofNullable(container.getState()).map(ContainerState::getWaiting);
  }

  private static Optional<String> failure(Pod pod, ContainerStatus container) {
    return waiting(container)
        .filter(waiting -> waiting.getReason() != null)
        .flatMap(waiting -> failure(pod, container, waiting));
  }

  private static Optional<String> failure(
      Pod pod, ContainerStatus container, ContainerStateWaiting waiting) {
    return switch (waiting.getReason()) {
      case "ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull" ->
          Optional.of(
              "the image %s cannot be pulled: check its name and registry, and set GPU_IMAGE, GPU_IMAGE_PULL_SECRETS or GPU_SCHEDULER_IMAGE of the operator"
                  .formatted(container.getImage()));
      case "CrashLoopBackOff" ->
          Optional.of(
              "its container keeps ending%s: see kubectl logs -n %s %s --previous"
                  .formatted(
                      lastWords(container),
                      pod.getMetadata().getNamespace(),
                      pod.getMetadata().getName()));
      case "CreateContainerConfigError", "CreateContainerError", "RunContainerError" ->
          Optional.of("its container cannot be created: " + waiting.getMessage());
      default -> Optional.empty();
    };
  }

  private static String lastWords(ContainerStatus container) {
    return Optional.ofNullable(container.getLastState())
        .map(last -> last.getTerminated())
        .map(ContainerStateTerminated::getExitCode)
        .map(code -> " with exit code " + code)
        .orElse("");
  }
}
