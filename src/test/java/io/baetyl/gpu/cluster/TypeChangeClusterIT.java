package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.AllocationState;
import io.baetyl.gpu.api.v1alpha1.Condition;
import io.baetyl.gpu.api.v1alpha1.ConditionType;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeSpec;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.api.v1alpha1.PluginState;
import io.baetyl.gpu.api.v1alpha1.WellKnownLabels;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** The type of a node with two NVIDIA cards is changed, while a pod holds one of them. */
@Order(3)
class TypeChangeClusterIT {
  private static final String NODE = "edge-p4";
  private static final String RESOURCE = "nvidia.com/gpu";
  private static final String PLUGIN = "baetyl-accelerator-device-plugin-";
  private static final String METRICS = "baetyl-accelerator-metrics";

  /** The 15 s of the requirement, and the kubelet's period of writing its node's status. */
  private static final Duration ALLOCATABLE_GONE = Duration.ofSeconds(15 + 10);

  private static final Duration CHANGE = Duration.ofSeconds(60);

  /**
   * The operator looks every half minute whether pods on a node without device plugin have ended.
   */
  private static final Duration CLEARED = Duration.ofSeconds(45);

  @AfterEach
  void backToNvidia() {
    setType(AcceleratorType.NVIDIA, AllocationMode.DEVICES);
  }

  @Test
  void aPodKeepsItsCardThroughAllTypesAndIsNamed() {
    try (var sharing = withAPod()) {
      var card = row(sharing).device();
      var container = containerId(sharing.pod("before"));

      setType(AcceleratorType.JETSON, AllocationMode.DEVICES);
      assertLeft(sharing, "nvidia");
      assertWrongType(sharing, AcceleratorType.JETSON);
      assertUndisturbed(sharing, container);

      setType(AcceleratorType.ASCEND, AllocationMode.DEVICES);
      assertLeft(sharing, "jetson");
      assertLeft(sharing, "nvidia");
      assertWrongType(sharing, AcceleratorType.ASCEND);
      assertUndisturbed(sharing, container);

      setType(AcceleratorType.NONE, null);
      assertLeft(sharing, "ascend");
      await("the metrics agent has left").atMost(CHANGE).until(() -> !hasPod(sharing, METRICS));
      await("what it reported is gone")
          .atMost(CLEARED)
          .untilAsserted(
              () -> {
                assertThat(status(sharing).devices()).isEmpty();
                assertThat(find(sharing, ConditionType.ACCELERATOR_FOUND)).isEmpty();
              });
      assertUndisturbed(sharing, container);

      setType(AcceleratorType.NVIDIA, AllocationMode.DEVICES);
      awaitReady(sharing);
      assertThat(containerId(sharing.pod("before"))).isEqualTo(container);
      await("the pod's row is one of those of now")
          .atMost(CHANGE)
          .untilAsserted(
              () ->
                  assertThat(status(sharing).allocations())
                      .extracting(
                          Allocation::pod,
                          Allocation::device,
                          Allocation::state,
                          Allocation::resourceName)
                      .containsExactly(tuple("before", card, AllocationState.RUNNING, null)));
      assertThat(find(sharing, ConditionType.ALLOCATION_READY).getFirst().message())
          .doesNotContain("before the change");
      sharing.run(SharingPod.of("after", 1).of(RESOURCE));
      await("the next pod has the other card")
          .atMost(CHANGE)
          .untilAsserted(
              () ->
                  assertThat(status(sharing).allocations())
                      .extracting(Allocation::device)
                      .doesNotHaveDuplicates()
                      .hasSize(2));
    }
  }

  /** Whether no plugin is wanted, or one has nothing to hand out. */
  @Test
  void nothingIsLeftOnceThePodHasEnded() {
    for (var type : List.of(AcceleratorType.NONE, AcceleratorType.ASCEND)) {
      try (var sharing = withAPod()) {
        setType(type, AllocationMode.DEVICES);
        assertLeft(sharing, "nvidia");
        assertNamed(sharing);

        sharing.delete("before");
        sharing.awaitGone("before");

        await("the account goes with the pod, type " + type)
            .atMost(CLEARED)
            .untilAsserted(
                () -> {
                  assertThat(status(sharing).allocations()).isEmpty();
                  assertThat(status(sharing).plugin()).isNull();
                  assertThat(find(sharing, ConditionType.ALLOCATION_READY).getFirst().message())
                      .doesNotContain("before the change");
                });
      }
    }
  }

  /** The node hands its cards out whole, and a pod has one. */
  private static Sharing withAPod() {
    var sharing = Sharing.ofNothing(TestCluster.withDefaultNodes(), NODE);
    setType(AcceleratorType.NVIDIA, AllocationMode.DEVICES);
    awaitReady(sharing);
    sharing.run(SharingPod.of("before", 1).of(RESOURCE));
    await("the status tells what the pod has")
        .atMost(CHANGE)
        .untilAsserted(() -> assertThat(status(sharing).allocations()).hasSize(1));
    return sharing;
  }

  private static void setType(AcceleratorType type, AllocationMode allocation) {
    var gpuNode = new GpuNode();
    gpuNode.setMetadata(new ObjectMetaBuilder().withName(NODE).build());
    gpuNode.setSpec(new GpuNodeSpec(type, null, allocation, null));
    TestCluster.connected().resource(gpuNode).serverSideApply();
  }

  private static void awaitReady(Sharing sharing) {
    await("both cards can be had")
        .atMost(Duration.ofSeconds(90))
        .untilAsserted(
            () -> {
              assertThat(find(sharing, ConditionType.READY))
                  .as("conditions: %s", status(sharing).conditions())
                  .allSatisfy(ready -> assertThat(ready.isTrue()).isTrue())
                  .extracting(Condition::reason)
                  .containsExactly("HandingOut");
              assertThat(sharing.allocatable(NODE, RESOURCE)).isEqualTo(2);
            });
  }

  /** Nothing can be had, and the device plugin of a type is gone from the node. */
  private static void assertLeft(Sharing sharing, String type) {
    await("allocatable is 0")
        .atMost(ALLOCATABLE_GONE)
        .untilAsserted(() -> assertThat(sharing.allocatable(NODE, RESOURCE)).isZero());
    await("the device plugin of type " + type + " has left")
        .atMost(CHANGE)
        .until(() -> !hasPod(sharing, PLUGIN + type));
  }

  /** The conditions say what was asked for and what was found, and which pod keeps its card. */
  private static void assertWrongType(Sharing sharing, AcceleratorType asked) {
    await("AcceleratorFound names both types")
        .atMost(CHANGE)
        .untilAsserted(
            () ->
                assertThat(find(sharing, ConditionType.ACCELERATOR_FOUND))
                    .singleElement()
                    .satisfies(
                        found -> {
                          assertThat(found.status()).isEqualTo(Condition.FALSE);
                          assertThat(found.reason()).isEqualTo("WrongType");
                          assertThat(found.message())
                              .contains("of type " + asked, "2 × Tesla P4 (nvidia)");
                        }));
    assertThat(status(sharing).accelerator()).isEqualTo(asked);
    assertThat(sharing.client().nodes().withName(NODE).get().getMetadata().getLabels())
        .containsEntry(WellKnownLabels.ACCELERATOR, asked.value());
  }

  private static void assertUndisturbed(Sharing sharing, String container) {
    assertNamed(sharing);
    assertThat(sharing.pod("before").getStatus().getPhase()).isEqualTo("Running");
    assertThat(containerId(sharing.pod("before"))).isEqualTo(container);
    assertThat(row(sharing).pod()).isEqualTo("before");
    assertThat(status(sharing).plugin().state()).isEqualTo(PluginState.STOPPING);
  }

  private static void assertNamed(Sharing sharing) {
    await("AllocationReady names the pod")
        .atMost(CHANGE)
        .untilAsserted(
            () ->
                assertThat(find(sharing, ConditionType.ALLOCATION_READY).getFirst().message())
                    .endsWith(
                        "keep their devices until they end: " + sharing.namespace() + "/before"));
  }

  private static GpuNodeStatus status(Sharing sharing) {
    return sharing.gpuNode(NODE).statusOrEmpty();
  }

  private static Allocation row(Sharing sharing) {
    assertThat(status(sharing).allocations()).hasSize(1);
    return status(sharing).allocations().getFirst();
  }

  private static List<Condition> find(Sharing sharing, ConditionType type) {
    return Condition.find(status(sharing).conditions(), type).stream().toList();
  }

  private static boolean hasPod(Sharing sharing, String component) {
    return Components.pods(sharing.client(), component).stream()
        .anyMatch(pod -> NODE.equals(pod.getSpec().getNodeName()));
  }

  private static String containerId(Pod pod) {
    return pod.getStatus().getContainerStatuses().getFirst().getContainerID();
  }
}
