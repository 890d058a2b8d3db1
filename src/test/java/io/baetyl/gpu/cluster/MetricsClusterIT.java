package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** The metrics of a node against the figures of its simulated cards. */
@Order(2)
class MetricsClusterIT {
  private static final String NODE = "edge-p4";
  private static final String CARD = "GPU-9f12f917-e458-4bb8-3d9d-8dc7fd6cddf7";
  private static final long MIB = 1 << 20;

  @Test
  void figuresAreThoseOfTheCards() throws Exception {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      sharing.run(SharingPod.of("guest", 4));
      var card = sharing.agreed(NODE).iterator().next().card();
      TestCluster.dev("card", NODE, card, "use", "700", sharing.namespace() + "/guest/main");

      await()
          .atMost(Duration.ofSeconds(25))
          .untilAsserted(
              () ->
                  assertThat(metric("baetyl_gpu_container_used_memory_bytes", card, "guest"))
                      .isEqualTo(700 * MIB));
      assertThat(metric("baetyl_gpu_container_requested_memory_bytes", card, "guest"))
          .isEqualTo(4 * 256 * MIB);
      assertThat(metric("baetyl_gpu_memory_total_bytes", card, "")).isEqualTo(7611 * MIB);
      assertThat(metric("DCGM_FI_DEV_FB_TOTAL", card, "")).isEqualTo(7611);
      assertThat(metric("baetyl_gpu_memory_used_bytes", card, ""))
          .isGreaterThanOrEqualTo(700 * MIB);

      var collected = new ObjectMapper().readTree(get("/v1/collect")).path(NODE);
      assertThat(collected.path("deviceNum").asInt()).isEqualTo(2);
      assertThat(collected.path("totalMemory").asLong()).isEqualTo(2 * 7611 * MIB);
      assertThat(collected.path("usedMemory").asLong()).isGreaterThanOrEqualTo(700 * MIB);
    }
  }

  @Test
  void aHangingDriverStillGetsAnAnswer() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      TestCluster.dev("driver", NODE, "hang");
      try {
        await("the agent says that the driver does not answer")
            .atMost(Duration.ofSeconds(30))
            .untilAsserted(() -> assertThat(metric("baetyl_gpu_healthy", CARD, "")).isZero());
        var start = Instant.now();
        assertThat(get("/v1/collect")).contains("\"deviceNum\":2");
        assertThat(Duration.between(start, Instant.now())).isLessThan(Duration.ofSeconds(1));
      } finally {
        TestCluster.dev("driver", NODE, "ok");
      }
      await("the cards are healthy again")
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(sharing.summary(NODE).healthyCards()).isEqualTo(2));
    }
  }

  private static long metric(String name, String uuid, String pod) {
    return get("/metrics")
        .lines()
        .filter(line -> line.startsWith(name + "{"))
        .filter(line -> line.contains('"' + uuid + '"'))
        .filter(line -> line.contains(pod.isEmpty() ? "" : "pod=\"" + pod + '"'))
        .map(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no series " + name + " of " + uuid + " " + pod));
  }

  private static String get(String path) {
    return Components.get("baetyl-accelerator-metrics", NODE, 30060, path);
  }
}
