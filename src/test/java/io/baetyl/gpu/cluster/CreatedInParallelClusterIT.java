package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.cluster.oracle.WatchedByOracle;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Far more pods than there is room for, all at once. */
@Order(3)
@WatchedByOracle
class CreatedInParallelClusterIT {
  private static final String NODE = "edge-16g";

  @Test
  void ofTwentyOnTwoCardsTwoRunAndTheOthersSayWhyNot() {
    try (var sharing =
        Sharing.of(TestCluster.withDefaultNodesAnd(List.of(NODE)), Sharing.BINPACK, NODE)) {
      var names = IntStream.range(0, 20).mapToObj(number -> "pod-" + number).toList();

      names.parallelStream().forEach(name -> sharing.create(SharingPod.of(name, 40)));

      await("two run").atMost(Sharing.POD_START).until(() -> phase(sharing, "Running").size() == 2);
      assertThat(sharing.agreed(NODE)).extracting(Held::card).doesNotHaveDuplicates().hasSize(2);
      var waiting = phase(sharing, "Pending");
      assertThat(waiting).hasSize(18);
      for (var name : waiting) {
        sharing.awaitRefusal(
            name, "no single card has 40 units of baidu.com/vcuda-memory free (largest free: 24)");
      }
      assertThat(phase(sharing, "Running")).hasSize(2);
    }
  }

  private static List<String> phase(Sharing sharing, String phase) {
    return sharing.client().pods().inNamespace(sharing.namespace()).list().getItems().stream()
        .filter(pod -> pod.getStatus().getPhase().equals(phase))
        .map(pod -> pod.getMetadata().getName())
        .toList();
  }
}
