package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.cluster.oracle.WatchedByOracle;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Pods with init containers and sidecars hold, on one card, what Kubernetes says that they need:
 * the greater of what their start and their running takes.
 */
@Order(3)
@WatchedByOracle
class InitContainersClusterIT {
  private static final String NODE = "edge-4g";

  /** Long enough to be looked at meanwhile. */
  private static final String WORK = "sleep 1";

  static Stream<Arguments> pods() {
    return Stream.of(
        Arguments.of(
            "ten, then four",
            10,
            SharingPod.named("pod").initContainer("init", 10, WORK).container("main", 4)),
        Arguments.of(
            "four, then ten",
            10,
            SharingPod.named("pod").initContainer("init", 4, WORK).container("main", 10)),
        Arguments.of(
            "a sidecar beside its app",
            8,
            SharingPod.named("pod").sidecar("sidecar", 3).container("main", 5)),
        Arguments.of(
            "an init container beside a sidecar, then two apps",
            8,
            SharingPod.named("pod")
                .sidecar("sidecar", 2)
                .initContainer("init", 6, WORK)
                .container("one", 3)
                .container("two", 2)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("pods")
  void aPodHoldsItsGreatestNeedOnOneCard(String name, int demand, SharingPod pod) {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      var uid = sharing.create(pod).getMetadata().getUid();
      var looksAtInit = new AtomicInteger();
      await(name + " runs, and nobody has said anything else from the first word on")
          .atMost(Sharing.POD_START)
          .pollInterval(Duration.ofMillis(50))
          .until(
              () -> {
                var seen = sharing.pod("pod");
                if (initRuns(seen)) {
                  // The kubelet has given all containers their units before the first of them
                  // starts.
                  assertThat(idsOf(uid)).hasSize(demand);
                  looksAtInit.incrementAndGet();
                }
                assertNoContradiction(sharing, uid, demand);
                return allReady(seen);
              });
      assertThat(looksAtInit.get())
          .as("looks while an init container ran")
          .isGreaterThanOrEqualTo(plainInitContainers(pod));
      await(name + " runs on, and both have all of its need")
          .pollInterval(Duration.ofMillis(50))
          .during(Duration.ofSeconds(1))
          .atMost(Duration.ofSeconds(5))
          .untilAsserted(
              () -> {
                assertNoContradiction(sharing, uid, demand);
                assertThat(rows(sharing, uid)).isNotEmpty();
                assertThat(idsOf(uid)).hasSize(demand);
              });

      sharing.delete("pod");
      sharing.awaitGone("pod");
      await("nothing is left of it")
          .atMost(Duration.ofSeconds(10))
          .untilAsserted(
              () -> {
                assertThat(rows(sharing, uid)).isEmpty();
                assertThat(sharing.summary(NODE).freeUnits()).isEqualTo(32);
              });
    }
  }

  /**
   * Status and kubelet agree all along: what the status says is the whole need, on the card that
   * the kubelet has the pod's units of, and as many as the kubelet has out for those containers
   * that have been started.
   */
  private static void assertNoContradiction(Sharing sharing, String uid, int demand) {
    var ids = idsOf(uid);
    var rows = rows(sharing, uid);
    if (!rows.isEmpty()) {
      assertThat(units(rows)).as("units of %s", rows).isEqualTo(demand);
    }
    if (!ids.isEmpty()) {
      assertThat(ids.size()).as("units that the kubelet has out").isLessThanOrEqualTo(demand);
      var card = card(sharing, ids);
      if (!rows.isEmpty()) {
        assertThat(rows).extracting(Allocation::device).containsOnly(card);
      }
    }
  }

  private static int plainInitContainers(SharingPod pod) {
    return Math.toIntExact(
        pod.build().getSpec().getInitContainers().stream()
            .filter(container -> container.getRestartPolicy() == null)
            .count());
  }

  private static boolean initRuns(Pod pod) {
    return pod.getStatus().getInitContainerStatuses().stream()
        .anyMatch(
            container ->
                container.getName().equals("init") && container.getState().getRunning() != null);
  }

  private static boolean allReady(Pod pod) {
    return "Running".equals(pod.getStatus().getPhase())
        && pod.getStatus().getContainerStatuses().stream()
            .allMatch(container -> container.getReady());
  }

  private static List<Allocation> rows(Sharing sharing, String uid) {
    return sharing.gpuNode(NODE).getStatus().allocations().stream()
        .filter(row -> row.uid().equals(uid))
        .toList();
  }

  private static int units(List<Allocation> rows) {
    return rows.stream().mapToInt(Allocation::units).sum();
  }

  private static String card(Sharing sharing, Set<String> ids) {
    var cards = new HashSet<String>();
    ids.forEach(id -> cards.add(id.substring(0, id.lastIndexOf(':'))));
    assertThat(cards).as("cards that the kubelet has given to the pod").hasSize(1);
    assertThat(sharing.decided("pod").values()).containsOnlyElementsOf(cards);
    return cards.iterator().next();
  }

  private static Set<String> idsOf(String uid) {
    var ids = new HashSet<String>();
    Checkpoint.read(NODE).stream()
        .filter(entry -> entry.podUid().equals(uid))
        .forEach(entry -> ids.addAll(entry.ids()));
    return ids;
  }
}
