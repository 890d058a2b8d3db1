package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.cluster.oracle.WatchedByOracle;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** A card that cannot serve a pod any more when its node gets to it. */
@Order(3)
@WatchedByOracle
class RefusalClusterIT {
  private static final String NODE = "edge-4g";
  private static final String ONE_CARD = "edge-3090";

  @Test
  void aCardThatAPodHasAloneIsGivenToNobodyElse() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, ONE_CARD)) {
      sharing.run(SharingPod.of("alone", 91));

      sharing.create(SharingPod.of("past", 2).boundTo(ONE_CARD));

      awaitFailed(sharing, "past", "past asks for 2 units");
      assertThat(sharing.agreed(ONE_CARD)).extracting(Held::pod).containsOnly("alone");
      assertThat(sharing.summary(ONE_CARD).allocatedUnits()).isEqualTo(91);
    }
  }

  @Test
  void whereItsCardHasFailedAPodHasAnother() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      long correctionsBefore = Corrections.of(NODE);
      String card = null;
      try {
        card = bindAndFail(sharing, SharingPod.of("moved", 6));
        sharing.awaitRunning("moved");

        assertThat(sharing.agreed(NODE)).extracting(Held::card).doesNotContain(card).hasSize(1);
        assertThat(sharing.decided("moved").values()).doesNotContain(card);
        assertThat(Corrections.of(NODE)).isEqualTo(correctionsBefore + 1);
      } finally {
        recover(sharing, card);
      }
    }
  }

  @Test
  void whereNoOtherHasRoomItFailsAndHoldsNothing() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      sharing.run(SharingPod.of("full", 16));
      String card = null;
      try {
        card = bindAndFail(sharing, SharingPod.of("nowhere", 10));
        // By the plugin or, where it has heard of the card already, by the kubelet itself.
        awaitFailed(sharing, "nowhere", SharingPod.RESOURCE);
        assertThat(sharing.agreed(NODE)).extracting(Held::pod).containsOnly("full");
      } finally {
        recover(sharing, card);
      }
      sharing.delete("nowhere");
      sharing.run(SharingPod.of("next", 16));

      assertThat(sharing.agreed(NODE)).hasSize(2).extracting(Held::card).contains(card);
    }
  }

  /**
   * Binds a pod while the kubelet stands still, and lets the card fail that was decided for it.
   *
   * @return the card
   */
  private static String bindAndFail(Sharing sharing, SharingPod pod) {
    Kubelet.pause(NODE);
    try {
      var name = sharing.create(pod).getMetadata().getName();
      sharing.awaitBound(name);
      var card = sharing.decided(name).get("main");
      TestCluster.dev("card", NODE, card, "fail");
      try {
        awaitHealth(sharing, card, Health.UNHEALTHY);
      } catch (RuntimeException unheard) {
        TestCluster.dev("card", NODE, card, "recover");
        throw unheard;
      }
      return card;
    } finally {
      Kubelet.resume(NODE);
    }
  }

  private static void recover(Sharing sharing, String card) {
    if (card != null) {
      TestCluster.dev("card", NODE, card, "recover");
      awaitHealth(sharing, card, Health.HEALTHY);
    }
  }

  private static void awaitHealth(Sharing sharing, String card, Health health) {
    await("card " + card + " is " + health)
        .atMost(Sharing.POD_START)
        .until(
            () ->
                sharing.gpuNode(NODE).getStatus().devices().stream()
                    .anyMatch(device -> device.id().equals(card) && device.health() == health));
  }

  private static void awaitFailed(Sharing sharing, String pod, String reason) {
    await(pod + " fails: " + reason)
        .atMost(Sharing.POD_START)
        .untilAsserted(
            () -> {
              var status = sharing.pod(pod).getStatus();
              assertThat(status.getPhase()).isEqualTo("Failed");
              assertThat(status.getMessage()).contains(reason);
            });
  }
}
