package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.WellKnownAnnotations;
import io.baetyl.gpu.cluster.oracle.WatchedByOracle;
import java.time.Duration;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Room that becomes free finds the pod that waits for it, and leaves the others asleep. */
@Order(3)
@WatchedByOracle
class WakeClusterIT {
  private static final String NODE = "edge-4g";

  @Test
  void onlyAPodThatFitsIsWoken() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      sharing.run(SharingPod.of("nine", 9), SharingPod.of("four", 4), SharingPod.of("other", 10));
      sharing.create(SharingPod.of("too-large", 9));
      sharing.create(SharingPod.of("fits", 7));
      sharing.awaitRefusal("too-large", "no single card has 9 units");
      sharing.awaitRefusal("fits", "no single card has 7 units");

      sharing.delete("four");
      sharing.awaitGone("four");

      awaitBoundSoon(sharing, "fits");
      sharing.awaitRunning("fits");
      assertThat(sharing.pod("too-large").getSpec().getNodeName()).isNull();
      assertThat(sharing.pod("too-large").getMetadata().getAnnotations())
          .doesNotContainKey(WellKnownAnnotations.RETRY);
    }
  }

  /** Each pod that comes or goes lets the scheduler try in vain, and wait the longer. */
  @Test
  void aPodInBackoffIsWokenAsWell() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      sharing.run(SharingPod.of("ten", 10), SharingPod.of("other", 10));
      sharing.create(SharingPod.of("waiting", 8));
      sharing.awaitRefusal("waiting", "(largest free: 6)");
      for (int taken = 1; taken <= 3; taken++) {
        sharing.run(SharingPod.of("little-" + taken, 1).on(NODE));
      }
      for (int taken = 1; taken <= 3; taken++) {
        sharing.delete("little-" + taken);
        sharing.awaitGone("little-" + taken);
      }

      sharing.delete("ten");
      sharing.awaitGone("ten");

      awaitBoundSoon(sharing, "waiting");
      sharing.awaitRunning("waiting");
    }
  }

  private static void awaitBoundSoon(Sharing sharing, String pod) {
    await(pod + " is bound within 2 s")
        .atMost(Duration.ofSeconds(2))
        .pollInterval(Duration.ofMillis(50))
        .until(() -> sharing.pod(pod).getSpec().getNodeName() != null);
  }
}
