package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.Condition;
import io.baetyl.gpu.api.v1alpha1.ConditionType;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeSpec;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** A Jetson, from its detection to a pod that has its GPU. */
@Order(5)
class JetsonClusterIT {
  private static final String NODE = "edge-jetson";
  private static final String GPU = "jetson-1421323012345";
  private static final String RESOURCE = "nvidia.com/gpu";
  private static final Duration SEEN = Duration.ofSeconds(15);

  @AfterAll
  static void removeNode() {
    TestCluster.kubectl("delete", "gpunode", NODE, "--ignore-not-found");
    TestCluster.dev("remove", NODE);
  }

  @Test
  void onePodHasItsGpuAndTheNextWaits() {
    try (var sharing = found()) {
      sharing.run(SharingPod.of("one", 1).of(RESOURCE));
      sharing.create(SharingPod.of("two", 2).of(RESOURCE));

      sharing.awaitRefusal("two", "Insufficient " + RESOURCE);
      assertThat(inside(sharing, "one", "ls /dev/nvhost-* /dev/nvmap /dev/nvgpu/igpu0/*"))
          .containsExactlyInAnyOrder(
              "/dev/nvgpu/igpu0/channel",
              "/dev/nvgpu/igpu0/ctrl",
              "/dev/nvhost-as-gpu",
              "/dev/nvhost-ctrl",
              "/dev/nvhost-ctrl-gpu",
              "/dev/nvhost-gpu",
              "/dev/nvmap");
      assertThat(inside(sharing, "one", "echo $NVIDIA_VISIBLE_DEVICES")).containsExactly("all");
      await("the status tells who has it")
          .atMost(SEEN)
          .untilAsserted(
              () ->
                  assertThat(sharing.gpuNode(NODE).getStatus().allocations())
                      .extracting(Allocation::pod, Allocation::device)
                      .containsExactly(tuple("one", GPU)));
    }
  }

  @Test
  void itsFiguresAreThoseOfTheBoard() {
    try (var sharing = found()) {
      assertThat(sharing.gpuNode(NODE).getStatus().detected()).isEqualTo(AcceleratorType.JETSON);
      TestCluster.dev("card", NODE, GPU, "use", "1000");
      try {
        await("its metrics tell of use")
            .atMost(SEEN)
            .untilAsserted(
                () ->
                    assertThat(metrics())
                        .contains(
                            series("memory_total_bytes", 7620L << 20),
                            series("memory_used_bytes", 1000L << 20),
                            series("utilization_ratio", 0.437),
                            series("temperature_celsius", 45.968),
                            series("power_watts", 5.26))
                        .noneMatch(line -> line.startsWith("DCGM")));
      } finally {
        TestCluster.dev("card", NODE, GPU, "use", "0");
      }
    }
  }

  @Test
  void aGpuThatFailsOrHangsIsTakenOutAndComesBack() {
    try (var sharing = found()) {
      for (var fault : List.of("fail recover", "vanish return", "hang unhang")) {
        var both = fault.split(" ");
        TestCluster.dev("card", NODE, GPU, both[0]);
        try {
          awaitAllocatable(sharing, 0);
          assertThat(metrics()).as("while it is at fault: %s", fault).isNotEmpty();
        } finally {
          TestCluster.dev("card", NODE, GPU, both[1]);
        }
        awaitAllocatable(sharing, 1);
      }
    }
  }

  /** The node's GpuNode says nothing of a type: that is found. */
  private static Sharing found() {
    var cluster = TestCluster.withDefaultNodesAnd(NODE);
    var gpuNode = new GpuNode();
    gpuNode.setMetadata(new ObjectMetaBuilder().withName(NODE).build());
    gpuNode.setSpec(new GpuNodeSpec(null, null, AllocationMode.DEVICES, null));
    cluster.client().resource(gpuNode).serverSideApply();
    var sharing = Sharing.ofNothing(cluster, NODE);
    awaitAllocatable(sharing, 1);
    await("GpuNode " + NODE + " is Ready")
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () ->
                assertThat(
                        Condition.find(
                            sharing.gpuNode(NODE).getStatus().conditions(), ConditionType.READY))
                    .hasValueSatisfying(ready -> assertThat(ready.isTrue()).isTrue()));
    return sharing;
  }

  private static void awaitAllocatable(Sharing sharing, int count) {
    await(count + " of " + RESOURCE + " can be allocated")
        .atMost(Duration.ofSeconds(90))
        .untilAsserted(
            () ->
                assertThat(sharing.allocatable(NODE, RESOURCE))
                    .as("conditions: %s", sharing.gpuNode(NODE).statusOrEmpty().conditions())
                    .isEqualTo(count));
  }

  private static List<String> inside(Sharing sharing, String pod, String script) {
    return TestCluster.kubectl("exec", "-n", sharing.namespace(), pod, "--", "sh", "-c", script)
        .lines()
        .toList();
  }

  private static List<String> metrics() {
    return Components.metrics("baetyl-accelerator-metrics", NODE, 30060).lines().toList();
  }

  private static String series(String name, double value) {
    return "baetyl_gpu_%s{node=\"%s\",device=\"\",uuid=\"%s\",model=\"NVIDIA Jetson Orin Nano Developer Kit\"} %s"
        .formatted(
            name, NODE, GPU, value == Math.rint(value) ? Long.toString((long) value) : value);
  }
}
