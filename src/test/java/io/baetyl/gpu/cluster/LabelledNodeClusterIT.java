package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.WellKnownLabels;
import java.time.Duration;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** A node that has nothing but a label gets a GpuNode, from which its pods have their chips. */
@Order(6)
class LabelledNodeClusterIT {
  private static final DeviceNode NODE = DeviceNode.ASCEND_310P;
  private static final Duration SOON = Duration.ofSeconds(15);

  @Test
  void itsPodsHaveTheirChips() {
    try (var sharing = NODE.found()) {
      delete(sharing);
      label(WellKnownLabels.BAETYL_ACCELERATOR + "=ascend");
      try {
        awaitMade(sharing);
        NODE.handOut(sharing.client());
        run(sharing, "one");
        assertThat(DeviceNode.inside(sharing, "one", "ls /dev/davinci[0-9]*")).hasSize(1);
        var first = uid(sharing);

        delete(sharing);

        awaitMade(sharing);
        assertThat(uid(sharing)).isNotEqualTo(first);
        assertThat(sharing.pod("one").getStatus().getPhase()).isEqualTo("Running");
        NODE.handOut(sharing.client());
        run(sharing, "two");
        assertThat(DeviceNode.inside(sharing, "two", "ls /dev/davinci[0-9]*"))
            .hasSize(1)
            .doesNotContainAnyElementsOf(
                DeviceNode.inside(sharing, "one", "ls /dev/davinci[0-9]*"));
      } finally {
        label(WellKnownLabels.BAETYL_ACCELERATOR + "-");
      }
    }
  }

  /** Between two device plugins the kubelet refuses pods; who has made one makes it again. */
  private static void run(Sharing sharing, String name) {
    await(name + " runs")
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              var pod = sharing.pod(name);
              if (pod == null) {
                sharing.create(NODE.pod(name, 1));
              } else if (pod.getStatus().getPhase().equals("Failed")) {
                sharing.delete(name);
              }
              return pod != null && pod.getStatus().getPhase().equals("Running");
            });
  }

  private static void awaitMade(Sharing sharing) {
    await("a GpuNode is made for the label, and told of")
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(
                        TestCluster.kubectl(
                            "get",
                            "events",
                            "--field-selector=reason=MadeForLabel,involvedObject.uid="
                                + uid(sharing),
                            "-o",
                            "name"))
                    .isNotBlank());
  }

  private static String uid(Sharing sharing) {
    var gpuNode = sharing.gpuNode(NODE.name());
    return gpuNode == null ? "none" : gpuNode.getMetadata().getUid();
  }

  private static void delete(Sharing sharing) {
    var deleted = uid(sharing);
    sharing.client().resources(GpuNode.class).withName(NODE.name()).delete();
    await("it is gone").atMost(SOON).until(() -> !deleted.equals(uid(sharing)));
  }

  private static void label(String change) {
    TestCluster.kubectl("label", "node", NODE.name(), change);
  }
}
