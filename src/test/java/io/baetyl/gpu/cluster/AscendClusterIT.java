package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeSpec;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Ascend chips, from their detection to pods that have some of them. */
@Order(5)
class AscendClusterIT {
  private static final String NODE = "edge-ascend";
  private static final String RESOURCE = "huawei.com/Ascend310";
  private static final Duration SEEN = Duration.ofSeconds(90);

  @AfterAll
  static void removeNode() {
    TestCluster.kubectl("delete", "gpunode", NODE, "--ignore-not-found");
    TestCluster.dev("remove", NODE);
  }

  @Test
  void aPodHasTheTwoChipsThatOthersLeave() {
    try (var sharing = found(NODE, RESOURCE, 4)) {
      for (var name : List.of("zero", "one", "two")) {
        sharing.run(SharingPod.of(name, 1).of(RESOURCE));
      }
      var kept = nodes(sharing, "one");
      sharing.delete("zero");
      sharing.delete("two");
      sharing.awaitGone("zero");
      sharing.awaitGone("two");
      sharing.run(SharingPod.of("back", 1).of(RESOURCE));
      sharing.run(SharingPod.of("pair", 2).of(RESOURCE));

      var pair = nodes(sharing, "pair");
      assertThat(pair).hasSize(2).doesNotContainAnyElementsOf(kept);
      assertThat(pair).doesNotContainAnyElementsOf(nodes(sharing, "back"));
      assertThat(inside(sharing, "pair", "ls /dev/davinci_manager /dev/hisi_hdc")).hasSize(2);
      assertThat(inside(sharing, "pair", "ls /usr/local/dcmi")).containsExactly("libdcmi.so");
      await("the status tells which chips the pair has")
          .atMost(Duration.ofSeconds(15))
          .untilAsserted(() -> assertThat(byStatus(sharing, "pair")).isEqualTo(pair));
    }
  }

  @Test
  void aChipThatFailsVanishesOrHangsIsTakenOutAndComesBack() {
    try (var sharing = found(NODE, RESOURCE, 4)) {
      var chip = sharing.gpuNode(NODE).getStatus().devices().getFirst().id();
      for (var fault : List.of("fail recover", "vanish return", "hang unhang")) {
        var both = fault.split(" ");
        TestCluster.dev("card", NODE, chip, both[0]);
        try {
          awaitAllocatable(sharing, NODE, RESOURCE, 3);
        } finally {
          TestCluster.dev("card", NODE, chip, both[1]);
        }
        awaitAllocatable(sharing, NODE, RESOURCE, 4);
      }
    }
  }

  private static Sharing found(String node, String resource, int chips) {
    var cluster = TestCluster.withDefaultNodesAnd(node);
    var gpuNode = new GpuNode();
    gpuNode.setMetadata(new ObjectMetaBuilder().withName(node).build());
    gpuNode.setSpec(new GpuNodeSpec(null, null, AllocationMode.DEVICES, null));
    cluster.client().resource(gpuNode).serverSideApply();
    var sharing = Sharing.ofNothing(cluster, node);
    awaitAllocatable(sharing, node, resource, chips);
    return sharing;
  }

  private static void awaitAllocatable(Sharing sharing, String node, String resource, int count) {
    await(count + " of " + resource + " can be allocated")
        .atMost(SEEN)
        .untilAsserted(
            () ->
                assertThat(sharing.allocatable(node, resource))
                    .as("conditions: %s", sharing.gpuNode(node).statusOrEmpty().conditions())
                    .isEqualTo(count));
  }

  /** The device nodes of chips in a pod. */
  private static Set<String> nodes(Sharing sharing, String pod) {
    return Set.copyOf(inside(sharing, pod, "ls /dev/davinci[0-9]*"));
  }

  private static Set<String> byStatus(Sharing sharing, String pod) {
    var status = sharing.gpuNode(NODE).getStatus();
    var chips =
        status.allocations().stream()
            .filter(row -> row.pod().equals(pod))
            .map(Allocation::device)
            .collect(Collectors.toSet());
    return status.devices().stream()
        .filter(device -> chips.contains(device.id()))
        .map(Device::path)
        .collect(Collectors.toSet());
  }

  private static List<String> inside(Sharing sharing, String pod, String script) {
    return TestCluster.kubectl("exec", "-n", sharing.namespace(), pod, "--", "sh", "-c", script)
        .lines()
        .toList();
  }
}
