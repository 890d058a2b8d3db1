package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.WellKnownAnnotations;
import io.baetyl.gpu.cluster.oracle.WatchedByOracle;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Room that becomes free finds the pod that waits for it, and leaves the others asleep. */
@Order(3)
@WatchedByOracle
class WakeClusterIT {
  private static final String NODE = "edge-4g";

  /** By {@code podInitialBackoffSeconds} and {@code podMaxBackoffSeconds} of our scheduler. */
  private static final Duration BACKOFF = Duration.ofSeconds(1);

  @Test
  void onlyAPodThatFitsIsWoken() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      sharing.run(SharingPod.of("nine", 9), SharingPod.of("four", 4), SharingPod.of("other", 10));
      sharing.create(SharingPod.of("too-large", 9));
      sharing.create(SharingPod.of("fits", 7));
      sharing.awaitRefusal("too-large", "no single card has 9 units");
      sharing.awaitRefusal("fits", "no single card has 7 units");
      assertUnschedulable(sharing, "too-large");
      assertUnschedulable(sharing, "fits");

      sharing.delete("four");
      sharing.awaitGone("four");

      awaitBoundSoon(sharing, "fits");
      sharing.awaitRunning("fits");
      assertThat(sharing.pod("too-large").getSpec().getNodeName()).isNull();
      assertThat(sharing.pod("too-large").getMetadata().getAnnotations())
          .doesNotContainKey(WellKnownAnnotations.RETRY);
    }
  }

  /** The scheduler has tried in vain less than a second before the room comes. */
  @Test
  void aPodInBackoffIsWokenAsWell() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      sharing.run(SharingPod.of("ten", 10).gracePeriodSeconds(0), SharingPod.of("other", 10));
      sharing.create(SharingPod.of("waiting", 8));
      sharing.awaitRefusal("waiting", "(largest free: 6)");
      assertUnschedulable(sharing, "waiting");
      awaitNoAttempts();

      var attempts = new AtomicLong(ExtenderCount.FILTER_CALLS.now());
      var lastInVain = new AtomicLong();
      sharing.patch(
          "waiting", "{\"metadata\": {\"annotations\": {\"example.com/try\": \"again\"}}}");
      await("the scheduler has tried in vain")
          .atMost(Duration.ofSeconds(10))
          .pollInterval(Duration.ofMillis(20))
          .until(() -> hasTried(attempts, lastInVain));
      sharing.delete("ten");
      await("there is room")
          .atMost(Duration.ofSeconds(10))
          .pollInterval(Duration.ofMillis(20))
          .until(
              () -> {
                boolean held =
                    sharing.gpuNode(NODE).getStatus().allocations().stream()
                        .anyMatch(row -> row.pod().equals("ten"));
                // The pod's deletion is an event for the scheduler, before there is room.
                if (held) {
                  hasTried(attempts, lastInVain);
                }
                return !held;
              });
      var since = Duration.ofNanos(System.nanoTime() - lastInVain.get());

      awaitBoundSoon(sharing, "waiting");
      System.out.printf("room came %d ms after a try in vain%n", since.toMillis());
      assertThat(since).isLessThan(BACKOFF);
      sharing.awaitRunning("waiting");
    }
  }

  private static boolean hasTried(AtomicLong attempts, AtomicLong atNanos) {
    long now = ExtenderCount.FILTER_CALLS.now();
    if (attempts.getAndSet(now) == now) {
      return false;
    }
    atNanos.set(System.nanoTime());
    return true;
  }

  private static void assertUnschedulable(Sharing sharing, String pod) {
    assertThat(sharing.pod(pod).getStatus().getConditions())
        .filteredOn(condition -> condition.getType().equals("PodScheduled"))
        .singleElement()
        .satisfies(
            condition -> {
              assertThat(condition.getStatus()).isEqualTo("False");
              assertThat(condition.getReason()).isEqualTo("Unschedulable");
            });
  }

  /** No pod is in its backoff: each waits for an event. */
  private static void awaitNoAttempts() {
    var last = new AtomicLong(-1);
    await("the scheduler has tried all of them")
        .pollInterval(BACKOFF.multipliedBy(2))
        .atMost(Duration.ofSeconds(20))
        .until(
            () -> {
              long now = ExtenderCount.FILTER_CALLS.now();
              return last.getAndSet(now) == now;
            });
  }

  private static void awaitBoundSoon(Sharing sharing, String pod) {
    await(pod + " is bound within 2 s")
        .atMost(Duration.ofSeconds(2))
        .pollInterval(Duration.ofMillis(50))
        .until(() -> sharing.pod(pod).getSpec().getNodeName() != null);
  }
}
