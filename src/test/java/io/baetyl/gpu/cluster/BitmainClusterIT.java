package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeSpec;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** A BM1684 card, from its detection to a pod that has its chip. */
@Order(5)
class BitmainClusterIT {
  private static final String NODE = "edge-bm1684";
  private static final String CHIP = "HQATEVBAIAIAI0001-0";
  private static final String RESOURCE = "bitmain.com/bm1684";

  @AfterAll
  static void removeNode() {
    TestCluster.kubectl("delete", "gpunode", NODE, "--ignore-not-found");
    TestCluster.dev("remove", NODE);
  }

  @Test
  void aPodHasItsChipAndTwoAreRefused() {
    try (var sharing = found()) {
      await("asking for two is refused")
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () ->
                  assertThatThrownBy(() -> sharing.create(SharingPod.of("two", 2).of(RESOURCE)))
                      .hasMessageContaining(RESOURCE)
                      .hasMessageContaining("set the limit to 1"));
      sharing.run(SharingPod.of("one", 1).of(RESOURCE));

      assertThat(inside(sharing, "one", "ls /dev/bm*"))
          .containsExactlyInAnyOrder("/dev/bm-sophon0", "/dev/bmdev-ctl");
      assertThat(inside(sharing, "one", "ls /opt/sophon/libsophon-current/lib"))
          .containsExactly("libbmlib.so");
    }
  }

  @Test
  void aChipThatFailsVanishesOrHangsIsTakenOutAndComesBack() {
    try (var sharing = found()) {
      for (var fault : List.of("fail recover", "vanish return", "hang unhang")) {
        var both = fault.split(" ");
        TestCluster.dev("card", NODE, CHIP, both[0]);
        try {
          awaitAllocatable(sharing, 0);
        } finally {
          TestCluster.dev("card", NODE, CHIP, both[1]);
        }
        awaitAllocatable(sharing, 1);
      }
    }
  }

  private static Sharing found() {
    var cluster = TestCluster.withDefaultNodesAnd(NODE);
    var gpuNode = new GpuNode();
    gpuNode.setMetadata(new ObjectMetaBuilder().withName(NODE).build());
    gpuNode.setSpec(new GpuNodeSpec(null, null, AllocationMode.DEVICES, null));
    cluster.client().resource(gpuNode).serverSideApply();
    var sharing = Sharing.ofNothing(cluster, NODE);
    awaitAllocatable(sharing, 1);
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
}
