package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.cluster.oracle.WatchedByOracle;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** A pod of higher priority pushes out the fewest and lowest pods of one card, or nobody. */
@Order(3)
@WatchedByOracle
class PreemptionClusterIT {
  private static final String NODE = "edge-4g";
  private static final Map<String, Integer> PRIORITIES =
      Map.of("test-low", 10, "test-middle", 20, "test-high", 30);
  private static TestCluster cluster;

  @BeforeAll
  static void makePriorities() {
    cluster = TestCluster.withDefaultNodes();
    PRIORITIES.forEach(
        (name, value) ->
            cluster
                .client()
                .resource(
                    new PriorityClassBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .withValue(value)
                        .build())
                .serverSideApply());
  }

  @AfterAll
  static void removePriorities() {
    PRIORITIES
        .keySet()
        .forEach(
            name -> cluster.client().scheduling().v1().priorityClasses().withName(name).delete());
  }

  @Test
  void theVictimsAreThoseOfOneCard() {
    try (var sharing = Sharing.of(cluster, Sharing.BINPACK, NODE)) {
      sharing.run(low("1", 8), low("2", 8), low("3", 8), low("4", 8));
      var before = sharing.agreed(NODE);

      sharing.run(pod("urgent", 12, "test-high"));

      var after = sharing.agreed(NODE);
      assertThat(after).hasSize(3);
      var survivors = after.stream().filter(share -> !share.pod().equals("urgent")).toList();
      assertThat(before).containsAll(survivors);
      assertThat(survivors.getFirst().card()).isEqualTo(survivors.getLast().card());
    }
  }

  @Test
  void theLowestGoThoughTheyAreMore() {
    try (var sharing = Sharing.of(cluster, Sharing.BINPACK, NODE)) {
      sharing.run(pod("middle", 12, "test-middle"), low("1", 6), low("2", 6), low("3", 4));

      sharing.run(pod("urgent", 12, "test-high"));

      assertThat(sharing.agreed(NODE))
          .extracting(Held::pod)
          .contains("middle", "urgent", "3")
          .doesNotContain("1", "2");
    }
  }

  @Test
  void nobodyIsEndedWhereThatMakesNoRoom() {
    try (var sharing = Sharing.of(cluster, Sharing.BINPACK, NODE)) {
      sharing.run(
          low("1", 8), pod("high-1", 8, "test-high"), low("2", 8), pod("high-2", 8, "test-high"));
      var before = sharing.agreed(NODE);

      sharing.create(pod("urgent", 12, "test-high"));

      sharing.awaitRefusal("urgent", "preemption:");
      assertThat(sharing.agreed(NODE)).isEqualTo(before);
      assertThat(Stream.of("1", "2", "high-1", "high-2").map(sharing::pod))
          .allMatch(pod -> pod.getMetadata().getDeletionTimestamp() == null);
      assertThat(List.of(sharing.pod("urgent").getStatus().getPhase())).containsOnly("Pending");
    }
  }

  private static SharingPod low(String name, int units) {
    return pod(name, units, "test-low");
  }

  private static SharingPod pod(String name, int units, String priorityClass) {
    return SharingPod.of(name, units).priorityClass(priorityClass);
  }
}
