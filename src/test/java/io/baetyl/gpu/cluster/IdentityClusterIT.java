package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.GpuShareProfileSpec;
import io.baetyl.gpu.api.v1alpha1.Placement;
import io.baetyl.gpu.cluster.oracle.WatchedByOracle;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The kubelet names no pod when it asks for units: each container gets the card decided for it. */
@Order(3)
@WatchedByOracle
@Tag("soak")
class IdentityClusterIT {
  private static final String NODE = "edge-4g";
  private static final int ROUNDS = Integer.getInteger("rounds.identity", 1);

  /** Neighbours of one size on different cards, so that a mix-up is seen. */
  private static final GpuShareProfileSpec SPREAD =
      new GpuShareProfileSpec(null, null, Placement.SPREAD, null, null, null);

  @Test
  void aCrashLoopAndPodsOfSeveralContainersAmongThem() {
    for (int round = 1; round <= ROUNDS; round++) {
      try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), SPREAD, NODE)) {
        long correctionsBefore = Corrections.of(NODE);
        var pods =
            List.of(
                SharingPod.named("crashing").crashing("main", 3),
                SharingPod.named("two-and-three").container("a", 2).container("b", 3),
                SharingPod.named("four-and-two").container("a", 4).container("b", 2),
                SharingPod.of("three-1", 3),
                SharingPod.of("three-2", 3),
                SharingPod.of("two", 2));

        pods.parallelStream().forEach(sharing::create);
        List.of("two-and-three", "four-and-two", "three-1", "three-2", "two")
            .forEach(sharing::awaitRunning);
        await("the container that crashes was started again")
            .atMost(Sharing.POD_START)
            .until(() -> restarts(sharing, "crashing") >= 1);

        assertDecided(sharing, sharing.agreed(NODE), 8);
        assertThat(Corrections.of(NODE)).isEqualTo(correctionsBefore);
      }
    }
    System.out.printf("a crash loop and pods of several containers: %d rounds%n", ROUNDS);
  }

  /** A kubelet that starts admits by age, whatever the order in which the pods were bound. */
  @Test
  void theKubeletRestartsWhileTheyWait() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), SPREAD, NODE)) {
      var names = IntStream.range(0, 6).mapToObj(number -> "pod-" + number).toList();
      names.forEach(name -> sharing.create(SharingPod.of(name, 4).gated()));
      try {
        Kubelet.pause(NODE);
        for (var name : names.reversed()) {
          sharing.openGates(name);
          sharing.awaitBound(name);
        }
      } finally {
        Kubelet.kill(NODE);
      }

      names.forEach(sharing::awaitRunning);

      assertDecided(sharing, sharing.agreed(NODE), 6);
    }
  }

  @Test
  void aStaticPodAmongThem() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), SPREAD, NODE)) {
      var fromFile = SharingPod.of("from-file", 4);
      var names = IntStream.range(0, 5).mapToObj(number -> "pod-" + number).toList();
      try {
        var pods =
            IntStream.range(0, 6)
                .parallel()
                .mapToObj(
                    number ->
                        number == 5
                            ? sharing.createStatic(fromFile)
                            : sharing
                                .create(SharingPod.of(names.get(number), 4))
                                .getMetadata()
                                .getName())
                .toList();
        pods.forEach(sharing::awaitRunning);

        var held = sharing.agreed(NODE);

        assertThat(held).hasSize(6);
        var decided = new java.util.HashSet<>(held);
        decided.removeIf(share -> share.pod().equals("from-file-" + NODE));
        assertDecided(sharing, decided, 5);
      } finally {
        sharing.deleteStatic(fromFile);
      }
      await("the units of the static pod are free again")
          .atMost(Sharing.POD_START)
          .untilAsserted(
              () ->
                  assertThat(sharing.gpuNode(NODE).getStatus().allocations())
                      .noneMatch(row -> row.pod().startsWith("from-file")));
    }
  }

  private static void assertDecided(Sharing sharing, Set<Held> held, int containers) {
    var decided = new HashMap<String, Map<String, String>>();
    assertThat(held).hasSize(containers);
    for (var share : held) {
      assertThat(decided.computeIfAbsent(share.pod(), sharing::decided))
          .as("cards decided for %s", share.pod())
          .containsEntry(share.container(), share.card());
    }
  }

  private static int restarts(Sharing sharing, String pod) {
    return sharing.pod(pod).getStatus().getContainerStatuses().stream()
        .mapToInt(container -> container.getRestartCount())
        .sum();
  }
}
