package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.cluster.oracle.WatchedByOracle;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The kubelet forgets the units of an Allocate that is under way when somebody lists its
 * PodResources just as another pod ends, and would hand them out again.
 */
@Order(3)
@WatchedByOracle
@Tag("soak")
class LedgerClusterIT {
  private static final String NODE = "edge-4g";
  private static final int ROUNDS = Integer.getInteger("rounds.ledger", 1);
  private static final int PODS = 2;
  private static final int UNITS = 4;

  /** Does not end for SIGTERM. */
  private static final String UNTIL_TOLD =
      "trap '' TERM; until [ -e /tmp/end ]; do sleep 0.1; done";

  @Test
  void noUnitIsOutTwiceThoughOthersListDuringAnAllocate() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE);
        var log = KubeletLog.of(sharing.client(), NODE)) {
      for (int round = 1; round <= ROUNDS; round++) {
        IntStream.range(0, PODS)
            .forEach(
                pod ->
                    sharing.run(
                        SharingPod.named("old-" + pod).container("main", UNITS, UNTIL_TOLD)));
        long forgotten;
        try (var lister = new PodResourcesLister(NODE, sharing.namespace())) {
          forgotten =
              IntStream.range(0, PODS)
                  .filter(pod -> isForgotten(pod, sharing, log, lister))
                  .count();

          System.out.printf(
              "round %d: of %d Allocates the kubelet forgot %d; others listed its PodResources %d"
                  + " times%n",
              round, PODS, forgotten, lister.answers().size());
          assertThat(lister.answers())
              .allSatisfy(answer -> assertThat(answer.outTwice()).isEmpty());
        }
        assertThat(forgotten).as("Allocates that the kubelet forgot").isPositive();
        assertThat(sharing.agreed(NODE)).hasSize(2 * PODS);
        sharing.client().pods().inNamespace(sharing.namespace()).delete();
        await("all are gone")
            .atMost(Sharing.POD_START)
            .until(() -> sharing.summary(NODE).allocatedUnits() == 0);
      }
    }
  }

  /**
   * Has a pod end while an Allocate for another is under way and others list, and creates a third,
   * for which a kubelet that has forgotten takes the units of the second for free.
   *
   * @return whether the kubelet has forgotten: it found out that the first had ended between its
   *     request for an Allocate and the answer
   */
  private static boolean isForgotten(
      int number, Sharing sharing, KubeletLog log, PodResourcesLister lister) {
    var old = "old-" + number;
    var next = "next-" + number;
    // A kubelet that waits for an answer does not hear of a deletion, so that comes first.
    sharing.delete(old);
    await("the kubelet ends " + old)
        .atMost(Sharing.POD_START)
        .until(() -> sharing.messages(old).contains("Stopping container main"));
    long asked;
    try (var plugin = SlowPlugin.on(sharing.client(), NODE)) {
      sharing.create(SharingPod.of(next, UNITS));
      log.awaitAllocate(sharing.namespace(), next);
      asked = System.nanoTime();
      plugin.whileItStands(
          () -> {
            TestCluster.kubectl("exec", "-n", sharing.namespace(), old, "--", "touch", "/tmp/end");
            await("the kubelet has no units out for " + old)
                .atMost(Sharing.POD_START)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> !lister.answers().getLast().has(old));
          });
    }
    sharing.awaitRunning(next);
    sharing.run(SharingPod.of("more-" + number, UNITS));

    var duringAllocate =
        lister.answers().stream()
            .filter(answer -> answer.beganNanos() > asked)
            .takeWhile(answer -> !answer.has(next))
            .toList();
    return !duringAllocate.isEmpty()
        && duringAllocate.getFirst().has(old)
        && !duringAllocate.getLast().has(old);
  }
}
