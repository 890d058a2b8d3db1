package io.baetyl.gpu.operator.labellednodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.operator.apiserver.ControlPlane;
import io.baetyl.gpu.operator.cluster.ClusterView;
import io.baetyl.gpu.operator.config.Settings;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** GpuNodes made for labelled nodes, on a real API server with the operator's rights. */
class LabelledNodesIT {
  private static final Duration SOON = Duration.ofSeconds(10);

  private ControlPlane controlPlane;
  private KubernetesClient operator;
  private ClusterView view;
  private LabelledNodes labelledNodes;

  @BeforeEach
  void start() {
    controlPlane = ControlPlane.start();
    operator = controlPlane.as("baetyl-gpu-operator");
  }

  private void startOperator(Map<String, String> settings) {
    var read = Settings.of(settings);
    view = new ClusterView(operator, read);
    view.start();
    labelledNodes = new LabelledNodes(operator, view, read, Clock.systemUTC());
    labelledNodes.start();
  }

  @AfterEach
  void stop() {
    labelledNodes.stop();
    view.stop();
    operator.close();
    controlPlane.close();
  }

  private Node node(String name, Map<String, String> labels) {
    return controlPlane
        .admin()
        .resource(
            new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .withLabels(labels)
                .endMetadata()
                .build())
        .create();
  }

  private GpuNode gpuNode(String name) {
    return controlPlane.admin().resources(GpuNode.class).withName(name).get();
  }

  @Test
  void aLabelledNodeGetsAGpuNodeThatGoesWithIt() {
    startOperator(Map.of());

    var node = node("edge-01", Map.of("baetyl-accelerator", "jetson"));

    await("it is made").atMost(SOON).until(() -> gpuNode("edge-01") != null);
    var made = gpuNode("edge-01");
    assertThat(made.getMetadata().getOwnerReferences())
        .singleElement()
        .satisfies(
            owner -> {
              assertThat(owner.getKind()).isEqualTo("Node");
              assertThat(owner.getUid()).isEqualTo(node.getMetadata().getUid());
            });
    assertThat(made.specOrEmpty().accelerator()).as("the label says it").isNull();
    await("it is told")
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(
                        controlPlane.admin().v1().events().inNamespace("default").list().getItems())
                    .extracting(Event::getReason)
                    .contains("MadeForLabel"));
  }

  @Test
  void aLabelThatComesLaterCountsAsWell() {
    startOperator(Map.of());
    node("edge-01", Map.of());

    controlPlane
        .admin()
        .nodes()
        .withName("edge-01")
        .edit(
            node ->
                new NodeBuilder(node)
                    .editMetadata()
                    .addToLabels("baetyl-accelerator", "nvidia")
                    .endMetadata()
                    .build());

    await("it is made").atMost(SOON).until(() -> gpuNode("edge-01") != null);
  }

  @Test
  void whatIsDeletedWhileTheLabelStaysIsMadeAgain() {
    startOperator(Map.of());
    node("edge-01", Map.of("baetyl-accelerator", "nvidia"));
    await("it is made").atMost(SOON).until(() -> gpuNode("edge-01") != null);
    var first = gpuNode("edge-01");

    controlPlane.admin().resource(first).delete();

    await("another is made")
        .atMost(SOON)
        .until(
            () ->
                gpuNode("edge-01") != null
                    && !gpuNode("edge-01")
                        .getMetadata()
                        .getUid()
                        .equals(first.getMetadata().getUid()));
  }

  @Test
  void otherNodesGetNone() {
    startOperator(Map.of());
    node("edge-01", Map.of());
    node("edge-02", Map.of("baetyl-accelerator", "none"));
    node("edge-03", Map.of("baetyl-accelerator", "kunlun"));
    node("edge-04", Map.of("baetyl-accelerator", "nvidia"));

    await("the labelled one has one").atMost(SOON).until(() -> gpuNode("edge-04") != null);

    assertThat(controlPlane.admin().resources(GpuNode.class).list().getItems())
        .extracting(gpuNode -> gpuNode.getMetadata().getName())
        .containsExactly("edge-04");
  }

  @Test
  void itCanBeSwitchedOff() {
    startOperator(Map.of("labelled-nodes", "disabled"));
    node("edge-01", Map.of("baetyl-accelerator", "nvidia"));
    await("the operator knows the node")
        .atMost(SOON)
        .until(() -> view.labelsOf("edge-01").isPresent());

    await()
        .during(Duration.ofSeconds(1))
        .atMost(Duration.ofSeconds(2))
        .until(() -> gpuNode("edge-01") == null);
  }
}
