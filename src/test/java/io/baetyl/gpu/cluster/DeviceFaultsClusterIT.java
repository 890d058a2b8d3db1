package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.Device;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A device of each type that fails: it is taken out, told of, and comes back by itself. */
@Order(6)
class DeviceFaultsClusterIT {
  private static final Duration KNOWN = Duration.ofSeconds(10);
  private static List<Chosen> chosen;

  @BeforeAll
  static void findAll() {
    chosen = DeviceNode.OF_EVERY_TYPE.stream().map(Chosen::firstOf).toList();
  }

  @AfterAll
  static void close() {
    chosen.forEach(device -> device.sharing().close());
  }

  @ParameterizedTest
  @CsvSource({"fail,recover", "vanish,return", "hang,unhang"})
  void oneOfEachType(String fault, String cure) {
    try {
      chosen.forEach(device -> device.has(fault));
      await("all are known to be at fault")
          .atMost(KNOWN)
          .untilAsserted(() -> assertThat(chosen).allSatisfy(Chosen::isToldToBeAtFault));
      chosen.forEach(device -> device.awaitAllocatable(device.node().devices() - 1));
      assertThat(chosen).allSatisfy(Chosen::isScrapedAsAtFault);
    } finally {
      chosen.forEach(device -> device.has(cure));
    }
    chosen.forEach(device -> device.awaitAllocatable(device.node().devices()));
  }

  private record Chosen(DeviceNode node, Sharing sharing, String id) {
    static Chosen firstOf(DeviceNode node) {
      var sharing = node.found();
      return new Chosen(node, sharing, devices(node, sharing).getFirst().id());
    }

    void has(String fault) {
      TestCluster.dev("card", node.name(), id, fault);
    }

    /** One that the driver knows no more, and nobody holds, is told of no more. */
    void isToldToBeAtFault() {
      assertThat(devices(node, sharing))
          .filteredOn(device -> device.id().equals(id))
          .as(node.name())
          .allSatisfy(
              device -> {
                assertThat(device.canBeHandedOut()).isFalse();
                assertThat(device.healthReason()).isNotBlank();
              });
    }

    void isScrapedAsAtFault() {
      assertThat(node.metrics())
          .as("what is scraped meanwhile")
          .isNotEmpty()
          .filteredOn(line -> line.startsWith("baetyl_gpu_healthy{"))
          .filteredOn(line -> line.contains("uuid=\"%s\"".formatted(id)))
          .allMatch(line -> line.endsWith(" 0"));
    }

    void awaitAllocatable(int count) {
      node.awaitAllocatable(sharing, count);
    }

    private static List<Device> devices(DeviceNode node, Sharing sharing) {
      return sharing.gpuNode(node.name()).getStatus().devices();
    }
  }
}
