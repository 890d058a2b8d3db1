package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** A node reboots: its kubelet admits pods before the device plugin is back, and fails them. */
@Order(5)
class RebootClusterIT {
  private static final String NODE = "edge-p4";
  private static final int REPLICAS = 4;
  private static final int UNITS = 10;

  @Test
  void everyReplicaHasACardAgainAndWhatFailedDoesNotPileUp() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      Replicas.of(sharing, REPLICAS, SharingPod.of("app", UNITS).gracePeriodSeconds(0));
      awaitReplicas(sharing, Set.of(), Duration.ofMinutes(1));
      var before = containers(pods(sharing));

      TestCluster.dev("restart", NODE, "node");

      awaitReplicas(sharing, before, Duration.ofMinutes(3));
      assertThat(sharing.agreed(NODE))
          .hasSize(REPLICAS)
          .extracting(Held::units)
          .containsOnly(UNITS);
      await("what the kubelet failed is deleted")
          .atMost(Duration.ofMinutes(3))
          .until(() -> pods(sharing).size() == REPLICAS);
    }
  }

  /** Waits until every replica runs in a container that was not there before. */
  private static void awaitReplicas(Sharing sharing, Set<String> before, Duration limit) {
    await("every replica runs")
        .atMost(limit)
        .pollInterval(Duration.ofSeconds(1))
        .untilAsserted(
            () -> {
              var running =
                  pods(sharing).stream()
                      .filter(pod -> pod.getStatus().getPhase().equals("Running"))
                      .toList();
              assertThat(running).hasSize(REPLICAS);
              assertThat(containers(running)).hasSize(REPLICAS).noneMatch(before::contains);
            });
  }

  private static List<Pod> pods(Sharing sharing) {
    return sharing.client().pods().inNamespace(sharing.namespace()).list().getItems();
  }

  private static Set<String> containers(List<Pod> pods) {
    return pods.stream()
        .flatMap(pod -> pod.getStatus().getContainerStatuses().stream())
        .filter(ContainerStatus::getReady)
        .map(ContainerStatus::getContainerID)
        .collect(Collectors.toSet());
  }
}
