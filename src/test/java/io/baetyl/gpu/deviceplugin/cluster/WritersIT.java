package io.baetyl.gpu.deviceplugin.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationState;
import io.baetyl.gpu.api.v1alpha1.CardDecision;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.api.v1alpha1.PluginState;
import io.baetyl.gpu.api.v1alpha1.PluginStatus;
import io.baetyl.gpu.deviceplugin.NodeReport;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the device plugin sends to the API server, to the letter. */
final class WritersIT {
  private static final CardDecision DECISION = new CardDecision("uid-p", Map.of("main", "GPU-b"));

  private final ObjectMapper json = new ObjectMapper();
  private RecordingApiServer server;
  private KubernetesClient client;
  private ClusterNode node;
  private AnnotationWriter annotations;
  private StatusWriter status;

  @BeforeEach
  void start() throws IOException {
    server = new RecordingApiServer();
    client = server.client();
    node = new ClusterNode(client, "edge-01", status -> Optional.empty(), () -> {});
    annotations = new AnnotationWriter(client);
    status = new StatusWriter(client, node, "edge-01");
  }

  @AfterEach
  void stop() {
    annotations.close();
    node.close();
    client.close();
    server.close();
  }

  @Test
  void aCorrectionNamesThePodByItsUidAndChangesTheAnnotationOnly() throws IOException {
    annotations.correct(pod(), DECISION, "card GPU-a is unhealthy");

    await().untilAsserted(() -> assertThat(annotations.count()).isEqualTo(1));
    var write = server.writes().getFirst();
    assertThat(write.method()).isEqualTo("PATCH");
    assertThat(write.address())
        .startsWith("/api/v1/namespaces/apps/pods/p?")
        .contains("fieldManager=baetyl-gpu-device-plugin");
    assertThat(write.contentType()).startsWith("application/merge-patch+json");
    assertThat(write.body().path("metadata"))
        .isEqualTo(
            json.readTree(
                """
                {"uid": "uid-p", "annotations": {"gpu.baetyl.io/cards": "uid-p:main=GPU-b"}}"""));
    assertThat(write.body().path("spec").isEmpty()).isTrue();
  }

  @Test
  void theSameCorrectionIsWrittenOnce() {
    annotations.correct(pod(), DECISION, "once");
    annotations.correct(pod(), DECISION, "and again, since the watch shows the old one still");
    annotations.correct(
        pod(), new CardDecision("uid-p", Map.of("main", "GPU-c")), "another card since");

    await().untilAsserted(() -> assertThat(annotations.count()).isEqualTo(2));
    assertThat(server.writes()).hasSize(2);
  }

  @Test
  void aCorrectionThatIsRefusedDoesNotCountAndIsTriedAgain() {
    server.refuse(true);
    annotations.correct(pod(), DECISION, "first");
    await().untilAsserted(() -> assertThat(server.writes()).hasSize(1));
    server.refuse(false);

    // As the bookkeeper does with every look.
    await()
        .untilAsserted(
            () -> {
              annotations.correct(pod(), DECISION, "again");
              assertThat(annotations.count()).isEqualTo(1);
            });

    assertThat(server.writes()).hasSize(2);
  }

  @Test
  void theStatusIsAppliedWithThePluginsFieldsAndNoOthers() throws IOException {
    status.write(
        content(new PluginStatus(PluginState.SERVING, null, null, null, AcceleratorType.NVIDIA)));

    var write = server.writes().getFirst();
    assertThat(write.method()).isEqualTo("PATCH");
    assertThat(write.address())
        .startsWith("/apis/gpu.baetyl.io/v1alpha1/gpunodes/edge-01/status?")
        .contains("fieldManager=baetyl-gpu-device-plugin", "force=true");
    assertThat(write.contentType()).startsWith("application/apply-patch+yaml");
    assertThat(write.body())
        .isEqualTo(
            json.readTree(
                """
                {"apiVersion": "gpu.baetyl.io/v1alpha1", "kind": "GpuNode",
                 "metadata": {"name": "edge-01"},
                 "status": {
                   "plugin": {"state": "Serving", "accelerator": "nvidia"},
                   "allocations": [
                     {"namespace": "apps", "pod": "p", "container": "main", "uid": "uid-p",
                      "device": "GPU-a", "units": 4, "state": "Running", "decidedBy": "Scheduler",
                      "since": "2026-11-30T07:00:00Z"}]}}"""));
  }

  @Test
  void aStatusThatIsRefusedIsSaidInWords() {
    server.refuse(true);

    assertThatThrownBy(() -> status.write(content(null)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the UID in the precondition does not match");
  }

  private static final PluginStatus SERVING =
      new PluginStatus(PluginState.SERVING, null, "nvidia.com/gpu", null, null);
  private static final PluginStatus STOPPING =
      new PluginStatus(PluginState.STOPPING, "it stops", "nvidia.com/gpu", null, null);

  private void store(NodeReport.Content content) {
    var gpuNode = new GpuNode();
    gpuNode.setMetadata(
        new ObjectMetaBuilder().withName("edge-01").withResourceVersion("7").build());
    gpuNode.setStatus(
        GpuNodeStatus.ofDevicePlugin(content.plugin().orElseThrow(), content.allocations()));
    server.store(gpuNode);
  }

  @Test
  void anAccountIsReplacedOnlyInTheVersionInWhichItWasFound() throws IOException {
    store(content(SERVING));

    assertThat(status.replace(content(SERVING), content(STOPPING))).isTrue();

    var write = server.writes().getFirst();
    assertThat(write.body().at("/metadata/resourceVersion").asText()).isEqualTo("7");
    assertThat(write.body().at("/status/plugin/state").asText()).isEqualTo("Stopping");
  }

  @Test
  void anAccountThatIsAnotherByNowIsLeftAlone() throws IOException {
    store(new NodeReport.Content(Optional.of(SERVING), List.of()));

    assertThat(status.replace(content(SERVING), content(STOPPING))).isFalse();

    assertThat(server.writes()).isEmpty();
  }

  /** The others who write into the status do so all the time. */
  @Test
  void aVersionThatIsOldByNowIsLookedAtAgainAFewTimes() {
    store(content(SERVING));
    server.refuse(true);

    assertThatThrownBy(() -> status.replace(content(SERVING), content(STOPPING)))
        .isInstanceOf(IOException.class);

    assertThat(server.writes()).hasSize(3);
  }

  private static NodeReport.Content content(PluginStatus plugin) {
    return new NodeReport.Content(
        Optional.ofNullable(plugin),
        List.of(
            new Allocation(
                "apps",
                "p",
                "main",
                "uid-p",
                "GPU-a",
                4,
                AllocationState.RUNNING,
                "2026-11-30T07:00:00Z")));
  }

  private static NodePod pod() {
    return new NodePod(
        "apps",
        "p",
        "uid-p",
        "uid-p",
        Instant.EPOCH,
        List.of(),
        Optional.of(new CardDecision("uid-p", Map.of("main", "GPU-a"))),
        NodePod.Life.LIVING,
        false);
  }
}
