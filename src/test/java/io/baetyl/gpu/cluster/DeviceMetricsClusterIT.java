package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The figures of devices that are handed out whole, against those that were simulated. */
@Order(6)
class DeviceMetricsClusterIT {
  private static final long MIB = 1 << 20;
  private static final int IN_USE_MIB = 1000;

  static Stream<DeviceNode> nodes() {
    return DeviceNode.OF_EVERY_TYPE.stream().filter(node -> node != DeviceNode.NVIDIA);
  }

  @ParameterizedTest
  @MethodSource("nodes")
  void figuresAreThoseOfTheDevices(DeviceNode node) throws IOException {
    var simulated = Files.readString(TestCluster.nodeFile(node.name()));
    var cards = Serialization.unmarshal(simulated, JsonNode.class).path("cards");
    try (var sharing = node.found()) {
      var chosen = sharing.gpuNode(node.name()).getStatus().devices().getFirst();
      long memory = cards.path(0).path("memoryMiB").asLong();
      agrees(node, chosen, 0, memory);

      TestCluster.dev("card", node.name(), chosen.id(), "use", "" + IN_USE_MIB);
      try {
        agrees(node, chosen, IN_USE_MIB, memory);
      } finally {
        TestCluster.dev("card", node.name(), chosen.id(), "use", "0");
      }
      agrees(node, chosen, 0, memory);
    }
  }

  private static void agrees(DeviceNode node, Device device, long usedMib, long totalMib) {
    await(usedMib + " MiB are in use on " + node.name())
        .atMost(Duration.ofSeconds(15))
        .untilAsserted(
            () -> {
              assertThat(series(node, "memory_total_bytes", device)).isEqualTo(totalMib * MIB);
              // Some tools tell the share in use in whole percents alone.
              assertThat(series(node, "memory_used_bytes", device))
                  .isCloseTo(usedMib * MIB, within(totalMib * MIB / 100));
              assertThat(series(node, "healthy", device)).isEqualTo(1);

              var answer = node.collected();
              assertThat(answer.path("deviceNum").asInt()).isEqualTo(node.devices());
              assertThat(answer.path("totalMemory").asLong())
                  .isEqualTo(node.devices() * totalMib * MIB);
              var each =
                  IntStream.range(0, node.devices())
                      .mapToObj(index -> answer.path("devices").path(index).path("usedMemory"))
                      .map(JsonNode::asLong);
              assertThat(each)
                  .anySatisfy(
                      used ->
                          assertThat(used).isCloseTo(usedMib * MIB, within(totalMib * MIB / 100)));
            });
  }

  private static long series(DeviceNode node, String name, Device device) {
    return node.metrics().stream()
        .filter(line -> line.startsWith("baetyl_gpu_" + name + "{"))
        .filter(line -> line.contains("uuid=\"" + device.id() + "\""))
        .map(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no series " + name + " of " + device.id()));
  }
}
