package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.Allocation;
import java.time.Duration;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** A Jetson, from its detection to a pod that has its GPU. */
@Order(6)
class JetsonClusterIT {
  private static final DeviceNode NODE = DeviceNode.JETSON;
  private static final String GPU = "jetson-1421323012345";
  private static final Duration SEEN = Duration.ofSeconds(15);

  @Test
  void onePodHasItsGpuAndTheNextWaits() {
    try (var sharing = NODE.found()) {
      sharing.run(NODE.pod("one", 1));
      sharing.create(NODE.pod("two", 2));

      sharing.awaitRefusal("two", "Insufficient " + NODE.resource());
      assertThat(
              DeviceNode.inside(sharing, "one", "ls /dev/nvhost-* /dev/nvmap /dev/nvgpu/igpu0/*"))
          .containsExactlyInAnyOrder(
              "/dev/nvgpu/igpu0/channel",
              "/dev/nvgpu/igpu0/ctrl",
              "/dev/nvhost-as-gpu",
              "/dev/nvhost-ctrl",
              "/dev/nvhost-ctrl-gpu",
              "/dev/nvhost-gpu",
              "/dev/nvmap");
      assertThat(DeviceNode.inside(sharing, "one", "echo $NVIDIA_VISIBLE_DEVICES"))
          .containsExactly("all");
      await("the status tells who has it")
          .atMost(SEEN)
          .untilAsserted(
              () ->
                  assertThat(sharing.gpuNode(NODE.name()).getStatus().allocations())
                      .extracting(Allocation::pod, Allocation::device)
                      .containsExactly(tuple("one", GPU)));
    }
  }

  @Test
  void itsFiguresAreThoseOfTheBoard() {
    try (var sharing = NODE.found()) {
      assertThat(sharing.gpuNode(NODE.name()).getStatus().detected())
          .isEqualTo(AcceleratorType.JETSON);
      TestCluster.dev("card", NODE.name(), GPU, "use", "1000");
      try {
        await("its metrics tell of use")
            .atMost(SEEN)
            .untilAsserted(
                () ->
                    assertThat(NODE.metrics())
                        .contains(
                            series("memory_total_bytes", 7620L << 20),
                            series("memory_used_bytes", 1000L << 20),
                            series("utilization_ratio", 0.437),
                            series("temperature_celsius", 45.968),
                            series("power_watts", 5.26))
                        .noneMatch(line -> line.startsWith("DCGM")));
      } finally {
        TestCluster.dev("card", NODE.name(), GPU, "use", "0");
      }
    }
  }

  private static String series(String name, double value) {
    return "baetyl_gpu_%s{node=\"%s\",device=\"\",uuid=\"%s\",model=\"NVIDIA Jetson Orin Nano Developer Kit\"} %s"
        .formatted(
            name,
            NODE.name(),
            GPU,
            value == Math.rint(value) ? Long.toString((long) value) : value);
  }
}
