package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.Condition;
import io.baetyl.gpu.api.v1alpha1.ConditionType;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeSpec;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * Cards that are handed out whole, and a node that goes from one way of handing out to another. The
 * oracle does not watch: it knows cards by the variables of shared ones, and takes the rows of a
 * pod that has one whole for such as nothing holds.
 */
@Order(3)
class WholeDevicesClusterIT {
  private static final String NODE = "edge-p4";
  private static final String WHOLE = "nvidia.com/gpu";
  private static final Duration CHANGE = Duration.ofSeconds(30);

  @Test
  void aContainerHasAsManyCardsAsItAsksForAndNobodyElseHasThem() {
    try (var sharing = whole()) {
      var cards = cards(sharing);
      sharing.run(pod("one", 1));
      sharing.create(pod("two", 2));
      sharing.awaitRefusal("two", "1 Insufficient " + WHOLE);

      var first = seen(sharing, "one");
      assertThat(first).hasSize(1);
      assertThat(held(sharing, "one")).isEqualTo(first);
      awaitFree(sharing, 1);

      sharing.delete("one");
      sharing.awaitRunning("two");

      assertThat(seen(sharing, "two")).isEqualTo(cards);
      awaitHeld(sharing, "two", cards);
      awaitFree(sharing, 0);
    }
  }

  @Test
  void aCardThatFailsIsTakenOutAndComesBack() {
    try (var sharing = whole()) {
      var card = cards(sharing).iterator().next();
      try {
        TestCluster.dev("card", NODE, card, "fail");
        awaitAllocatable(sharing, WHOLE, 1, CHANGE);
        sharing.run(pod("one", 1));
        assertThat(seen(sharing, "one")).doesNotContain(card);
      } finally {
        TestCluster.dev("card", NODE, card, "recover");
      }
      awaitAllocatable(sharing, WHOLE, 2, Sharing.POD_START);
    }
  }

  @Test
  void aPodThatSharesKeepsItsCardWhenCardsAreHandedOutWhole() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      sharing.run(SharingPod.of("before", 4));
      var card = sharing.decided("before").get("main");
      var container = containerId(sharing.pod("before"));

      handOut(sharing, AllocationMode.DEVICES);

      awaitAllocatable(sharing, SharingPod.RESOURCE, 0, CHANGE);
      awaitAllocatable(sharing, WHOLE, 1, CHANGE);
      await("the condition names the pod")
          .atMost(CHANGE)
          .untilAsserted(
              () ->
                  assertThat(condition(sharing, ConditionType.ALLOCATION_READY).message())
                      .contains(
                          "keep their devices until they end: " + sharing.namespace() + "/before"));
      sharing.run(pod("after", 1));
      assertThat(seen(sharing, "after")).hasSize(1).doesNotContain(card);
      assertThat(containerId(sharing.pod("before"))).isEqualTo(container);

      sharing.delete("before");
      awaitAllocatable(sharing, WHOLE, 2, Sharing.POD_START);
      sharing.run(pod("last", 1));
      assertThat(seen(sharing, "last")).containsExactly(card);
    }
  }

  @Test
  void aPodThatHasACardWholeKeepsItWhenTheNodeShares() {
    try (var sharing = whole()) {
      sharing.run(pod("before", 1));
      var card = seen(sharing, "before").iterator().next();

      handOut(sharing, AllocationMode.SHARED);

      awaitAllocatable(sharing, WHOLE, 0, CHANGE);
      awaitAllocatable(sharing, SharingPod.RESOURCE, 29, Sharing.POD_START);
      sharing.run(SharingPod.of("after", 20));
      assertThat(sharing.decided("after").get("main")).isNotEqualTo(card);
      sharing.create(SharingPod.of("waits", 20));
      sharing.awaitRefusal("waits", "1 Insufficient " + SharingPod.RESOURCE);

      sharing.delete("before");

      sharing.awaitRunning("waits");
      assertThat(sharing.decided("waits")).containsEntry("main", card);
    }
  }

  private static Sharing whole() {
    var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE);
    handOut(sharing, AllocationMode.DEVICES);
    awaitAllocatable(sharing, WHOLE, 2, Sharing.POD_START);
    return sharing;
  }

  private static void handOut(Sharing sharing, AllocationMode mode) {
    var gpuNode = new GpuNode();
    gpuNode.setMetadata(new ObjectMetaBuilder().withName(NODE).build());
    gpuNode.setSpec(new GpuNodeSpec(AcceleratorType.NVIDIA, null, mode, null));
    sharing.client().resource(gpuNode).serverSideApply();
  }

  private static SharingPod pod(String name, int cards) {
    return SharingPod.of(name, cards).of(WHOLE);
  }

  private static Set<String> cards(Sharing sharing) {
    return sharing.gpuNode(NODE).getStatus().devices().stream()
        .map(Device::id)
        .collect(Collectors.toSet());
  }

  private static void awaitAllocatable(
      Sharing sharing, String resource, int count, Duration limit) {
    await(count + " of " + resource + " can be allocated")
        .atMost(limit)
        .untilAsserted(
            () ->
                assertThat(sharing.allocatable(NODE, resource))
                    .as("GpuNode %s: %s", NODE, condition(sharing, ConditionType.ALLOCATION_READY))
                    .isEqualTo(count));
  }

  private static Condition condition(Sharing sharing, ConditionType type) {
    return Condition.find(sharing.gpuNode(NODE).getStatus().conditions(), type).orElseThrow();
  }

  /** The cards that the container lists, after checking that it has as many device nodes. */
  private static Set<String> seen(Sharing sharing, String pod) {
    await(pod + " has said what it sees")
        .until(() -> sharing.inside(sharing.pod(pod), "main").isPresent());
    var inside = sharing.inside(sharing.pod(pod), "main").orElseThrow();
    var cards = new HashSet<String>();
    for (var line : inside.listing()) {
      cards.add(line.substring(line.indexOf("GPU-"), line.length() - 1));
    }
    assertThat(inside.nodes()).hasSameSizeAs(cards);
    return cards;
  }

  private static Set<String> held(Sharing sharing, String pod) {
    var uid = sharing.pod(pod).getMetadata().getUid();
    var byKubelet =
        Checkpoint.read(NODE).stream()
            .filter(entry -> entry.podUid().equals(uid))
            .map(Checkpoint.Entry::ids)
            .flatMap(List::stream)
            .collect(Collectors.toSet());
    awaitHeld(sharing, pod, byKubelet);
    return byKubelet;
  }

  private static void awaitHeld(Sharing sharing, String pod, Set<String> cards) {
    await("the status tells what " + pod + " holds")
        .atMost(CHANGE)
        .untilAsserted(
            () ->
                assertThat(
                        sharing.gpuNode(NODE).getStatus().allocations().stream()
                            .filter(row -> row.pod().equals(pod))
                            .map(Allocation::device)
                            .collect(Collectors.toSet()))
                    .isEqualTo(cards));
  }

  private static void awaitFree(Sharing sharing, int count) {
    await(count + " are free by the status")
        .atMost(CHANGE)
        .until(() -> sharing.summary(NODE).freeUnits() == count);
  }

  private static String containerId(Pod pod) {
    return pod.getStatus().getContainerStatuses().getFirst().getContainerID();
  }
}
