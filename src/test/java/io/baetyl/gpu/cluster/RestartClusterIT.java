package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.cluster.oracle.WatchedByOracle;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A part is taken away while pods run, wait for room, and are between their creation and their
 * start.
 */
@Order(4)
@WatchedByOracle
@Tag("soak")
class RestartClusterIT {
  private static final String NODE = "edge-p4";
  private static final int REPLICAS = Integer.getInteger("pods.on-their-way", 16);

  /** What is left of 58 units beside 4, 20 and 20. */
  private static final int ROOM = 14;

  @ParameterizedTest
  @EnumSource
  void runningPodsGoOnAndTheOthersRunAfterwards(Part part) {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      sharing.run(
          SharingPod.of("four", 4), SharingPod.of("twenty", 20), SharingPod.of("other", 20));
      var sharesBefore = sharing.agreed(NODE);
      var lifeBefore = life(sharing);
      var replicas = Replicas.of(sharing, REPLICAS, SharingPod.of("app", 1).gracePeriodSeconds(0));
      replicas.awaitBound();

      part.restart(sharing, NODE);

      replicas.awaitRunning(ROOM, part.nextPod());
      assertThat(sharing.agreed(NODE)).hasSize(3 + ROOM).containsAll(sharesBefore);
      assertThat(life(sharing)).containsAllEntriesOf(lifeBefore);
      sharing.delete("other");
      replicas.awaitRunning(REPLICAS, Sharing.POD_START);
      assertThat(sharing.agreed(NODE)).hasSize(2 + REPLICAS);
      replicas.delete();
    }
  }

  /**
   * Pod UID, and how often each of its containers has been started: unchanged while a pod is left
   * in peace.
   */
  private static Map<String, String> life(Sharing sharing) {
    return sharing.client().pods().inNamespace(sharing.namespace()).list().getItems().stream()
        .collect(
            Collectors.toMap(
                pod -> pod.getMetadata().getUid(),
                pod ->
                    pod.getStatus().getPhase()
                        + pod.getStatus().getContainerStatuses().stream()
                            .map(container -> container.getContainerID())
                            .toList()));
  }
}
