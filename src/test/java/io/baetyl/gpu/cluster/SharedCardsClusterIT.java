package io.baetyl.gpu.cluster;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.AllocationState;
import io.baetyl.gpu.api.v1alpha1.DeviceSummary;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileSpec;
import io.baetyl.gpu.api.v1alpha1.Occupancy;
import io.baetyl.gpu.api.v1alpha1.Placement;
import io.baetyl.gpu.cluster.oracle.WatchedByOracle;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * Two cards to a node: which pod comes onto which card, what it sees there, and when its share is
 * free again.
 */
@Order(2)
@WatchedByOracle
class SharedCardsClusterIT {
  private static final String P4 = "edge-p4";
  private static final String SMALL = "edge-4g";
  private static TestCluster cluster;

  @BeforeAll
  static void cluster() {
    cluster = TestCluster.withDefaultNodes();
  }

  @Test
  void twoCardsOfferTheirWholeUnitsEach() {
    try (var sharing = binpack(P4)) {
      assertThat(sharing.allocatable(P4)).isEqualTo(58);
      assertThat(sharing.gpuNode(P4).getStatus().devices())
          .extracting(device -> device.units())
          .containsExactly(29, 29);
    }
  }

  @Test
  void aCardIsFilledBeforeTheNext() {
    try (var sharing = binpack(P4)) {
      sharing.run(
          SharingPod.of("four", 4), SharingPod.of("twenty", 20), SharingPod.of("other", 20));

      assertThat(unitsByCard(sharing.agreed(P4)))
          .containsExactlyInAnyOrder(List.of(20), List.of(4, 20));
      assertThat(sharing.agreed(P4))
          .extracting(Held::card)
          .containsOnly(
              "GPU-9f12f917-e458-4bb8-3d9d-8dc7fd6cddf7",
              "GPU-7cf0b881-7598-8b1a-3270-94d6f5d2479a");
    }
  }

  @Test
  void twoHalvesShareOneCard() {
    try (var sharing = binpack(SMALL)) {
      sharing.run(SharingPod.of("one", 8), SharingPod.of("two", 8));

      assertThat(unitsByCard(sharing.agreed(SMALL))).containsExactly(List.of(8, 8));
    }
  }

  @Test
  void whatDoesNotFitBesideTakesTheOtherCard() {
    try (var sharing = binpack(SMALL)) {
      sharing.run(SharingPod.of("half", 8), SharingPod.of("more", 12));

      assertThat(unitsByCard(sharing.agreed(SMALL)))
          .containsExactlyInAnyOrder(List.of(8), List.of(12));
    }
  }

  @Test
  void roomOnTwoCardsIsNoRoomOnOne() {
    try (var sharing = binpack(SMALL)) {
      sharing.run(SharingPod.of("one", 10), SharingPod.of("two", 10));

      sharing.create(SharingPod.of("eight", 8));

      sharing.awaitRefusal(
          "eight", "no single card has 8 units of baidu.com/vcuda-memory free (largest free: 6)");
      assertThat(sharing.pod("eight").getSpec().getNodeName()).isNull();
    }
  }

  @Test
  void mostOfACardIsAllOfIt() {
    try (var sharing = binpack(P4)) {
      sharing.run(SharingPod.of("most", 24), SharingPod.of("little", 4));

      assertThat(unitsByCard(sharing.agreed(P4)))
          .containsExactlyInAnyOrder(List.of(24), List.of(4));
      await()
          .atMost(Duration.ofSeconds(10))
          .untilAsserted(
              () ->
                  assertThat(sharing.summary(P4).devices())
                      .extracting(
                          DeviceSummary::allocatedUnits,
                          DeviceSummary::freeUnits,
                          DeviceSummary::occupancy)
                      .containsExactlyInAnyOrder(
                          org.assertj.core.groups.Tuple.tuple(24, 0, Occupancy.EXCLUSIVE),
                          org.assertj.core.groups.Tuple.tuple(4, 25, Occupancy.SHARED)));
    }
  }

  @Test
  void eachContainerHasItsOwnShare() {
    try (var sharing = binpack(SMALL)) {
      sharing.run(
          SharingPod.named("several")
              .container("small", 4)
              .container("large", 8)
              .container("none", 0));

      assertThat(sharing.agreed(SMALL))
          .extracting(Held::container, Held::units)
          .containsExactlyInAnyOrder(
              org.assertj.core.groups.Tuple.tuple("small", 4),
              org.assertj.core.groups.Tuple.tuple("large", 8));
      assertThat(sharing.inside(sharing.pod("several"), "none"))
          .hasValueSatisfying(view -> assertThat(view.seesNoCard()).isTrue());
      await()
          .atMost(Duration.ofSeconds(10))
          .untilAsserted(() -> assertThat(sharing.summary(SMALL).allocatedUnits()).isEqualTo(12));
    }
  }

  @Test
  void aFinishedPodHoldsNothing() {
    try (var sharing = binpack(SMALL)) {
      sharing.create(SharingPod.named("job-1").container("main", 12, "true").once());
      sharing.create(SharingPod.named("job-2").container("main", 12, "false").once());
      await("both have ended, and nothing is held")
          .atMost(Sharing.POD_START)
          .untilAsserted(
              () -> {
                assertThat(List.of("job-1", "job-2"))
                    .extracting(name -> sharing.pod(name).getStatus().getPhase())
                    .containsExactly("Succeeded", "Failed");
                assertThat(sharing.summary(SMALL).freeUnits()).isEqualTo(32);
              });

      sharing.create(SharingPod.of("next-1", 12));
      sharing.create(SharingPod.of("next-2", 12));

      sharing.awaitRunning("next-1", Duration.ofSeconds(10));
      sharing.awaitRunning("next-2", Duration.ofSeconds(10));
      assertThat(sharing.agreed(SMALL)).hasSize(2);
    }
  }

  /** UR-A06: it takes no second share, however often it is started. */
  @Test
  void aContainerThatIsStartedAgainAndAgainKeepsItsUnits() {
    try (var sharing = binpack(SMALL)) {
      sharing.run(SharingPod.of("other", 4), SharingPod.of("restarted", 8));
      var held = sharing.agreed(SMALL);
      var units = idsOf(sharing, "restarted");
      assertThat(units).hasSize(8);

      for (int restarts = 1; restarts <= 5; restarts++) {
        // The same image by another name: the kubelet waits 10 s and longer only between two starts
        // of a container by one name.
        var image = "localhost/toolbox:again-" + restarts;
        TestCluster.onNode(
            SMALL, "ctr", "-n", "k8s.io", "images", "tag", "--force", "localhost/toolbox:1", image);
        sharing.patch(
            "restarted",
            "{\"spec\": {\"containers\": [%s]}}"
                .formatted(Serialization.asJson(withImage(sharing.pod("restarted"), image))));
        awaitRestarts(sharing, "restarted", restarts);

        assertThat(sharing.agreed(SMALL)).isEqualTo(held);
        assertThat(idsOf(sharing, "restarted")).isEqualTo(units);
        assertThat(sharing.summary(SMALL).freeUnits()).isEqualTo(20);
      }
    }
  }

  private static Container withImage(Pod pod, String image) {
    return new ContainerBuilder(pod.getSpec().getContainers().getFirst()).withImage(image).build();
  }

  private static void awaitRestarts(Sharing sharing, String pod, int count) {
    await(pod + " has been started again " + count + " times")
        .atMost(Sharing.POD_START)
        .untilAsserted(
            () ->
                assertThat(sharing.pod(pod).getStatus().getContainerStatuses())
                    .as("events: %s", sharing.messages(pod))
                    .allMatch(container -> container.getRestartCount() == count)
                    .allMatch(ContainerStatus::getReady));
  }

  private static Set<String> idsOf(Sharing sharing, String pod) {
    var uid = sharing.pod(pod).getMetadata().getUid();
    return Checkpoint.read(SMALL).stream()
        .filter(entry -> entry.podUid().equals(uid))
        .flatMap(entry -> entry.ids().stream())
        .collect(toSet());
  }

  @Test
  void aRefusedPodRunsWhenRoomBecomesFree() {
    try (var sharing = binpack(SMALL)) {
      sharing.run(SharingPod.of("one", 10), SharingPod.of("two", 10));
      sharing.create(SharingPod.of("waiting", 8));
      sharing.awaitRefusal("waiting", "no single card has 8 units");

      sharing.delete("one");
      sharing.awaitGone("one");
      var free = Instant.now();

      await("the waiting pod is bound within 2 s")
          .atMost(Duration.ofSeconds(2))
          .pollInterval(Duration.ofMillis(50))
          .until(() -> sharing.pod("waiting").getSpec().getNodeName() != null);
      sharing.awaitRunning("waiting", Duration.ofSeconds(10));
      System.out.printf(
          "the waiting pod ran %d ms after room was free%n",
          Duration.between(free, Instant.now()).toMillis());
    }
  }

  @Test
  void aTerminatingPodKeepsItsShareUntilItsContainersAreGone() {
    try (var sharing = binpack(SMALL)) {
      sharing.run(
          SharingPod.named("stubborn-1")
              .container("main", 16, "trap '' TERM; echo ready; sleep 3600 & wait; sleep 3600")
              .gracePeriodSeconds(8),
          SharingPod.of("other", 16));
      sharing.delete("stubborn-1");
      sharing.create(SharingPod.of("next", 16));

      await("it is listed as terminating")
          .atMost(Duration.ofSeconds(5))
          .untilAsserted(
              () ->
                  assertThat(sharing.gpuNode(SMALL).getStatus().allocations())
                      .anySatisfy(
                          allocation -> {
                            assertThat(allocation.pod()).isEqualTo("stubborn-1");
                            assertThat(allocation.state()).isEqualTo(AllocationState.TERMINATING);
                          }));
      assertThat(sharing.pod("stubborn-1")).isNotNull();
      assertThat(sharing.pod("next").getSpec().getNodeName()).isNull();

      sharing.awaitGone("stubborn-1");
      sharing.awaitRunning("next", Duration.ofSeconds(15));
    }
  }

  @Test
  void spreadTakesTheEmptierCard() {
    var spread = new GpuShareProfileSpec(null, null, Placement.SPREAD, null, null, null);
    try (var sharing = Sharing.of(cluster, spread, SMALL)) {
      sharing.run(SharingPod.of("one", 4), SharingPod.of("two", 4), SharingPod.of("three", 4));

      assertThat(unitsByCard(sharing.agreed(SMALL)))
          .containsExactlyInAnyOrder(List.of(4), List.of(4, 4));
    }
  }

  private static Sharing binpack(String... nodes) {
    return Sharing.of(cluster, Sharing.BINPACK, nodes);
  }

  static Collection<List<Integer>> unitsByCard(Set<Held> held) {
    return held.stream()
        .collect(groupingBy(Held::card, mapping(Held::units, toList())))
        .values()
        .stream()
        .map(units -> units.stream().sorted().toList())
        .toList();
  }
}
