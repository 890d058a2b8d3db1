package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.Device;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Ascend chips, from their detection to pods that have some of them. */
@Order(6)
class AscendClusterIT {
  private static final DeviceNode NODE = DeviceNode.ASCEND_310;

  @Test
  void aPodHasTheTwoChipsThatOthersLeave() {
    try (var sharing = NODE.found()) {
      var chips =
          sharing.gpuNode(NODE.name()).getStatus().devices().stream().map(Device::path).toList();
      var pair = Set.of(chips.get(1), chips.get(3));
      var names = List.of("a", "b", "c", "d");
      names.forEach(name -> sharing.run(NODE.pod(name, 1)));
      names.stream()
          .filter(name -> pair.containsAll(nodes(sharing, name)))
          .forEach(
              name -> {
                sharing.delete(name);
                sharing.awaitGone(name);
              });

      sharing.run(NODE.pod("pair", 2));

      assertThat(nodes(sharing, "pair")).isEqualTo(pair);
      assertThat(DeviceNode.inside(sharing, "pair", "ls /dev/davinci_manager /dev/hisi_hdc"))
          .hasSize(2);
      assertThat(DeviceNode.inside(sharing, "pair", "ls /usr/local/dcmi"))
          .containsExactly("libdcmi.so");
      await("the status tells which chips the pair has")
          .atMost(Duration.ofSeconds(15))
          .untilAsserted(() -> assertThat(byStatus(sharing, "pair")).isEqualTo(pair));
    }
  }

  /** The device nodes of chips in a pod. */
  private static Set<String> nodes(Sharing sharing, String pod) {
    return Set.copyOf(DeviceNode.inside(sharing, pod, "ls /dev/davinci[0-9]*"));
  }

  private static Set<String> byStatus(Sharing sharing, String pod) {
    var status = sharing.gpuNode(NODE.name()).getStatus();
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
}
