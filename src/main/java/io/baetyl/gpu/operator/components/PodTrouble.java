package io.baetyl.gpu.operator.components;

import io.baetyl.gpu.api.v1alpha1.Component;
import io.baetyl.gpu.api.v1alpha1.ComponentState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.util.Optional;

/**
 * What keeps a component's pod from running, in words that do not change while the trouble stays
 * the same: the kubelet's own name the seconds of a back-off.
 */
final class PodTrouble {
  private PodTrouble() {}

  static Component of(String name, Pod pod) {
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
                    ComponentState.PENDING,
                    unscheduled(pod).orElse("its pod is starting, or not ready")));
  }

  private static boolean isReady(Pod pod) {
    return condition(pod, "Ready").filter(ready -> ready.getStatus().equals("True")).isPresent();
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

  private static Optional<String> failure(Pod pod, ContainerStatus container) {
    var waiting = container.getState() == null ? null : container.getState().getWaiting();
    if (waiting == null || waiting.getReason() == null) {
      return Optional.empty();
    }
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
