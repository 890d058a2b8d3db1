package io.baetyl.gpu.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.Promlint;
import io.baetyl.gpu.accelerator.folder.FolderNode;
import io.baetyl.gpu.accelerator.folder.FolderVendor;
import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.metrics.serving.CollectAnswer.DeviceMemory;
import io.baetyl.gpu.metrics.watching.WatchedDevice;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The metrics agent finds, watches and shows a vendor that is one more folder and list entry. */
class FifthVendorIT {
  private static final long MIB = 1 << 20;

  @TempDir private Path root;
  private FolderNode node;
  private NodeUnderTest agent;

  @BeforeEach
  void start() throws Exception {
    node = new FolderNode(root).add(0, "serial-a", 4096, 1024).add(1, "serial-b", 4096, 0);
    agent = new NodeUnderTest("edge-1", node);
    untilAsserted(() -> assertThat(agent.survey().settled()).isTrue());
  }

  @AfterEach
  void stop() {
    agent.close();
  }

  private void untilAsserted(Runnable assertion) {
    await()
        .pollInterval(Duration.ofMillis(50))
        .untilAsserted(
            () -> {
              agent.pass();
              assertion.run();
            });
  }

  private Health health(String id) {
    return device(id).health();
  }

  private WatchedDevice device(String id) {
    return agent.survey().devices().stream()
        .filter(watched -> watched.device().id().equals(id))
        .findFirst()
        .orElseThrow(() -> new AssertionError(id + " is not in " + agent.survey()));
  }

  @Test
  void itIsFoundAmongTheOthers() {
    assertThat(agent.survey().type()).isEqualTo(FolderVendor.TYPE);
    assertThat(agent.survey().devices())
        .extracting(watched -> watched.device().id())
        .containsExactly("serial-a", "serial-b");
    assertThat(
            agent
                .accelerators
                .runtime(FolderVendor.TYPE, List.of("serial-a"), name -> false)
                .ready())
        .isTrue();
  }

  @Test
  void prometheusGetsItsFiguresUnderBothNames() throws Exception {
    var page = new String(agent.pages.metrics(), UTF_8);

    assertThat(page)
        .contains(
            "baetyl_gpu_memory_used_bytes{node=\"edge-1\",device=\"folder0\",uuid=\"serial-a\",model=\"Folder M\"} 1073741824\n",
            "folder_memory_used_bytes{serial=\"serial-a\",Hostname=\"edge-1\"} 1073741824\n");
    assertThat(Promlint.findings(agent.pages.metrics())).isEmpty();
  }

  @Test
  void baetylGetsItsMemory() {
    var answer = agent.pages.collect().get("edge-1");

    assertThat(answer.devices())
        .containsExactly(
            new DeviceMemory(1024 * MIB, 4096 * MIB, 0.25), new DeviceMemory(0, 4096 * MIB, 0));
  }

  @Test
  void oneThatHangsHidesNoOtherAndComesBack() throws Exception {
    node.hang(0);

    untilAsserted(() -> assertThat(health("serial-a")).isEqualTo(Health.UNHEALTHY));

    assertThat(device("serial-a").healthReason()).contains("look at the node's kernel log");
    assertThat(health("serial-b")).isEqualTo(Health.HEALTHY);

    node.unhang(0, 512);
    untilAsserted(() -> assertThat(health("serial-a")).isEqualTo(Health.HEALTHY));
  }
}
