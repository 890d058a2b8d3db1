package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Pods in every state in which a pod holds units, and one that has ended. A kubelet that starts
 * asks for units for every container that does not run at that moment, and fails the pod where the
 * device plugin has not registered yet.
 */
final class Residents {
  /** More than half of a card of 29 units, so that each card has one, and room for no third. */
  static final int LARGE = 15;

  /** How many of their containers hold units. */
  static final int CONTAINERS = 6;

  private static final String CRASHING = "crashing";

  private final Sharing sharing;

  private Residents(Sharing sharing) {
    this.sharing = sharing;
  }

  /** Creates them on a node of two cards of 29 units; 23 are left when each is in its state. */
  static Residents in(Sharing sharing) {
    Stream.of(
            SharingPod.of("large", LARGE),
            SharingPod.of("other", LARGE),
            SharingPod.named("prepared").initContainer("init", 2).container("main", 2),
            SharingPod.named("half-done").ending("done", 1).container("main", 1).once(),
            SharingPod.named(CRASHING).crashing("main", 1),
            SharingPod.named("completed").ending("main", 2).once())
        .parallel()
        .forEach(sharing::create);
    Stream.of("large", "other", "prepared").forEach(sharing::awaitRunning);
    await("one container has ended, one pod has, and one waits to be started again")
        .atMost(Sharing.POD_START)
        .untilAsserted(
            () -> {
              assertThat(states(sharing.pod("half-done")))
                  .containsExactlyInAnyOrder("terminated", "running");
              assertThat(sharing.pod("completed").getStatus().getPhase()).isEqualTo("Succeeded");
              assertThat(sharing.pod(CRASHING).getStatus().getContainerStatuses())
                  .allMatch(container -> container.getRestartCount() > 0)
                  .allMatch(container -> state(container).equals("waiting"));
            });
    return new Residents(sharing);
  }

  /**
   * UID, phase and containers of each: unchanged while they are left in peace. The one that crashes
   * has other containers all the time.
   */
  Map<String, String> life() {
    return sharing.client().pods().inNamespace(sharing.namespace()).list().getItems().stream()
        .filter(pod -> pod.getMetadata().getOwnerReferences().isEmpty())
        .collect(Collectors.toMap(pod -> pod.getMetadata().getName(), Residents::life));
  }

  private static String life(Pod pod) {
    var containers =
        Stream.concat(
                pod.getStatus().getInitContainerStatuses().stream(),
                pod.getStatus().getContainerStatuses().stream())
            .map(container -> container.getContainerID() + " " + container.getRestartCount())
            .toList();
    return pod.getMetadata().getUid()
        + " "
        + pod.getStatus().getPhase()
        + (pod.getMetadata().getName().equals(CRASHING) ? "" : containers);
  }

  private static List<String> states(Pod pod) {
    return pod.getStatus().getContainerStatuses().stream().map(Residents::state).toList();
  }

  private static String state(ContainerStatus container) {
    var state = container.getState();
    return state.getRunning() != null
        ? "running"
        : state.getTerminated() != null ? "terminated" : "waiting";
  }
}
