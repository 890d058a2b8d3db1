package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.cluster.oracle.WatchedByOracle;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A part is taken away while pods run, while one waits for room, and while others are between their
 * creation and their start.
 */
@Order(4)
@WatchedByOracle
@Tag("soak")
class RestartClusterIT {
  private static final String NODE = "edge-p4";

  /** All of them have room beside the residents. */
  private static final int REPLICAS = 20;

  @ParameterizedTest
  @EnumSource
  void runningPodsGoOnAndTheOthersRunAfterwards(Part part) {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      var residents = Residents.in(sharing);
      var sharesBefore = sharing.agreed(NODE);
      var lifeBefore = residents.life();
      sharing.create(SharingPod.of("waiting", Residents.LARGE));
      sharing.awaitRefusal("waiting", "no single card has 15 units");
      var replicas = Replicas.of(sharing, REPLICAS, SharingPod.of("app", 1).gracePeriodSeconds(0));
      replicas.awaitOnTheirWay();

      part.restart(sharing, NODE);

      sharing.awaitStatus(NODE);
      replicas.awaitRunning(REPLICAS, part.nextPod());
      assertThat(sharing.agreed(NODE))
          .hasSize(Residents.CONTAINERS + REPLICAS)
          .containsAll(sharesBefore);
      assertThat(residents.life()).containsAllEntriesOf(lifeBefore);
      assertThat(sharing.pod("waiting").getSpec().getNodeName()).isNull();
      sharing.delete("other");
      sharing.awaitRunning("waiting");
      replicas.delete();
    }
  }
}
