package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.cluster.oracle.WatchedByOracle;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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

  static Stream<Arguments> pods() {
    return Stream.of(
        Arguments.of(
            "ten, then four",
            10,
            SharingPod.named("pod").initContainer("init", 10).container("main", 4)),
        Arguments.of(
            "four, then ten",
            10,
            SharingPod.named("pod").initContainer("init", 4).container("main", 10)),
        Arguments.of(
            "a sidecar beside its app",
            8,
            SharingPod.named("pod").sidecar("sidecar", 3).container("main", 5)),
        Arguments.of(
            "an init container beside a sidecar, then two apps",
            8,
            SharingPod.named("pod")
                .sidecar("sidecar", 2)
                .initContainer("init", 6)
                .container("one", 3)
                .container("two", 2)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("pods")
  void aPodHoldsItsGreatestNeedOnOneCard(String name, int demand, SharingPod pod) {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      var uid = sharing.create(pod).getMetadata().getUid();
      await(name + " runs, and the status has had all of its need from the first row on")
          .atMost(Sharing.POD_START)
          .pollInterval(Duration.ofMillis(50))
          .until(
              () -> {
                var rows = rows(sharing, uid);
                if (!rows.isEmpty()) {
                  assertThat(units(rows)).as("units of %s", rows).isEqualTo(demand);
                }
                return "Running".equals(sharing.pod("pod").getStatus().getPhase());
              });
      sharing.awaitRunning("pod");

      await("status and kubelet agree")
          .atMost(Duration.ofSeconds(15))
          .untilAsserted(
              () -> {
                var rows = rows(sharing, uid);
                assertThat(units(rows)).as("units of %s", rows).isEqualTo(demand);
                assertThat(rows).extracting(Allocation::device).containsOnly(card(sharing, uid));
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

  private static List<Allocation> rows(Sharing sharing, String uid) {
    return sharing.gpuNode(NODE).getStatus().allocations().stream()
        .filter(row -> row.uid().equals(uid))
        .toList();
  }

  private static int units(List<Allocation> rows) {
    return rows.stream().mapToInt(Allocation::units).sum();
  }

  private static String card(Sharing sharing, String uid) {
    var cards = new HashSet<String>();
    idsOf(uid).forEach(id -> cards.add(id.substring(0, id.lastIndexOf(':'))));
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
