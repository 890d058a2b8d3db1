package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.cluster.oracle.WatchedByOracle;
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
@WatchedByOracle
class RebootClusterIT {
  private static final String NODE = "edge-p4";
  private static final int UNITS = 10;

  /** On two cards of 29 units. */
  private static final int ROOM = 4;

  private static final int LARGE = Residents.LARGE;
  private static final int ON_THEIR_WAY = 20;

  @Test
  void everyReplicaHasACardAgainAndWhatFailedDoesNotPileUp() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      var replicas = replicas(sharing, ROOM, UNITS);
      awaitStarted(replicas, Set.of(), Duration.ofMinutes(1));
      var before = containers(replicas.pods());

      TestCluster.dev("restart", NODE, "node");

      awaitStarted(replicas, before, Duration.ofMinutes(3));
      assertThat(sharing.agreed(NODE)).hasSize(ROOM).extracting(Held::units).containsOnly(UNITS);
      await("what the kubelet failed is deleted")
          .atMost(Duration.ofMinutes(3))
          .until(() -> replicas.pods().size() == ROOM);
      replicas.delete();
    }
  }

  @Test
  void thoseThatWaitedAndThoseOnTheirWayRunAfterwards() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      sharing.run(SharingPod.of("large", LARGE), SharingPod.of("other", LARGE));
      sharing.create(SharingPod.of("waiting", LARGE));
      sharing.awaitRefusal("waiting", "no single card has 15 units");
      var replicas = replicas(sharing, ON_THEIR_WAY, 1);
      replicas.awaitOnTheirWay();

      TestCluster.dev("restart", NODE, "node");

      replicas.awaitRunning(ON_THEIR_WAY, Duration.ofMinutes(3));
      // The kubelet fails those that ran, and no controller makes others in their place.
      sharing.delete("large");
      sharing.delete("other");
      sharing.awaitRunning("waiting");
      assertThat(sharing.agreed(NODE))
          .hasSize(ON_THEIR_WAY + 1)
          .extracting(Held::units)
          .containsOnly(1, LARGE);
      replicas.delete();
    }
  }

  private static Replicas replicas(Sharing sharing, int count, int units) {
    return Replicas.of(sharing, count, SharingPod.of("app", units).gracePeriodSeconds(0));
  }

  /** Waits until as many as there is room for run in a container that was not there before. */
  private static void awaitStarted(Replicas replicas, Set<String> before, Duration limit) {
    await(ROOM + " replicas run")
        .atMost(limit)
        .pollInterval(Duration.ofSeconds(1))
        .untilAsserted(
            () -> {
              var running = replicas.pods().stream().filter(Replicas::isRunning).toList();
              assertThat(running).hasSize(ROOM);
              assertThat(containers(running)).hasSize(ROOM).noneMatch(before::contains);
            });
  }

  private static Set<String> containers(List<Pod> pods) {
    return pods.stream()
        .flatMap(pod -> pod.getStatus().getContainerStatuses().stream())
        .filter(ContainerStatus::getReady)
        .map(ContainerStatus::getContainerID)
        .collect(Collectors.toSet());
  }
}
