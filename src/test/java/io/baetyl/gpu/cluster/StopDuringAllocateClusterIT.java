package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.cluster.oracle.WatchedByOracle;
import io.fabric8.kubernetes.api.model.Pod;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * A device plugin that is told to stop finishes what the kubelet waits for: it wakes to a request
 * and to SIGTERM at once.
 */
@Order(3)
@WatchedByOracle
class StopDuringAllocateClusterIT {
  private static final String NODE = "edge-4g";

  @Test
  void aPodWhoseAllocationIsUnderWayHasItsCard() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      var client = sharing.client();
      var plugin = uid(Components.podOn(client, Components.DEVICE_PLUGIN, NODE));
      PodProcesses.pause(NODE, plugin);
      try {
        var asking = sharing.create(SharingPod.of("asking", 4)).getMetadata().getUid();
        sharing.awaitBound("asking");
        await("the kubelet waits for its units")
            .atMost(Sharing.POD_START)
            .until(() -> Kubelet.waitsForPlugin(client, NODE));
        // The kubelet itself would tell it to stop only when it has its answer.
        PodProcesses.terminate(NODE, plugin);

        assertThat(Checkpoint.read(NODE))
            .as("units that the kubelet has been given by a plugin that stands still")
            .noneMatch(entry -> entry.podUid().equals(asking));
      } finally {
        PodProcesses.resume(NODE, plugin);
      }
      sharing.awaitRunning("asking");

      await("the plugin has ended and been started again")
          .atMost(Sharing.POD_START)
          .until(() -> isStartedAgain(Components.podOn(client, Components.DEVICE_PLUGIN, NODE)));
      assertThat(sharing.agreed(NODE))
          .hasSize(1)
          .extracting(Held::card)
          .containsOnly(sharing.decided("asking").get("main"));
    }
  }

  private static boolean isStartedAgain(Pod plugin) {
    return Components.ready(plugin)
        && plugin.getStatus().getContainerStatuses().stream()
            .allMatch(container -> container.getRestartCount() > 0);
  }

  private static String uid(Pod pod) {
    return pod.getMetadata().getUid();
  }
}
