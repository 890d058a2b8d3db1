package io.baetyl.gpu.operator.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.api.v1alpha1.PluginState;
import io.baetyl.gpu.api.v1alpha1.PluginStatus;
import io.fabric8.kubernetes.api.model.Binding;
import io.fabric8.kubernetes.api.model.BindingBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may say which card a pod has, and who may speak for a node. */
class PodAnnotationsIT {
  private static final String CARDS = "gpu.baetyl.io/cards";
  private static final String RETRY = "gpu.baetyl.io/retry";
  private static final String EXTENDER = "baetyl-gpu-scheduler-extender";
  private static final String DEVICE_PLUGIN = "baetyl-accelerator-device-plugin";
  private static ControlPlane controlPlane;

  @BeforeAll
  static void start() {
    controlPlane = ControlPlane.start();
    await("the policies are in force")
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              try {
                create(pod(Map.of(CARDS, "x"), null));
                return false;
              } catch (KubernetesClientException refused) {
                return true;
              }
            });
  }

  @AfterAll
  static void stop() {
    controlPlane.close();
  }

  private static Pod pod(Map<String, String> annotations, String node) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("pod-" + UUID.randomUUID())
        .withAnnotations(annotations)
        .endMetadata()
        .withNewSpec()
        .withNodeName(node)
        .addNewContainer()
        .withName("app")
        .withImage("app")
        .endContainer()
        .endSpec()
        .build();
  }

  private static Pod create(Pod pod) {
    return controlPlane.admin().resource(pod).create();
  }

  private static void annotate(KubernetesClient client, Pod pod, String name, String value) {
    try (client) {
      client
          .pods()
          .inNamespace("default")
          .withName(pod.getMetadata().getName())
          .patch(
              "{\"metadata\":{\"annotations\":{\"%s\":%s}}}"
                  .formatted(name, value == null ? "null" : "\"" + value + "\""));
    }
  }

  @Test
  void aPodDoesNotComeWithACard() {
    assertThatThrownBy(() -> create(pod(Map.of(CARDS, "GPU-1"), null)))
        .hasMessageContaining("remove them from the pod");
  }

  @Test
  void theMirrorPodOfAKubeletIsLetThrough() {
    var mirror = pod(Map.of(CARDS, "GPU-1", "kubernetes.io/config.mirror", "x"), "edge-01");

    try (var kubelet = controlPlane.asKubelet()) {
      assertThat(kubelet.resource(mirror).create()).isNotNull();
    }
    assertThatThrownBy(() -> create(mirror)).hasMessageContaining("remove them from the pod");
  }

  @Test
  void theExtenderWakesAPod() {
    var pod = create(pod(Map.of(), null));

    annotate(controlPlane.as(EXTENDER), pod, RETRY, "now");

    assertThat(controlPlane.admin().resource(pod).get().getMetadata().getAnnotations())
        .containsEntry(RETRY, "now");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"metadata\":{\"annotations\":{\"gpu.baetyl.io/cards\":\"GPU-1\"}}}",
        "{\"metadata\":{\"annotations\":{\"others\":\"changed\"}}}",
        "{\"metadata\":{\"annotations\":{\"others\":null}}}",
        "{\"metadata\":{\"labels\":{\"app\":\"x\"}}}",
        "{\"metadata\":{\"finalizers\":[\"example.com/x\"]}}",
        "{\"spec\":{\"containers\":[{\"name\":\"app\",\"image\":\"other\"}]}}"
      })
  void theExtenderChangesNothingElseOfAPod(String patch) {
    var pod = create(pod(Map.of("others", "kept"), null));

    try (var extender = controlPlane.as(EXTENDER)) {
      var ofPod = extender.pods().inNamespace("default").withName(pod.getMetadata().getName());

      assertThatThrownBy(() -> ofPod.patch(patch)).hasMessageContaining("gpu.baetyl.io/retry only");
    }
  }

  @Test
  void anAccountOfThatNameInAnotherNamespaceDoesNot() {
    var pod = create(pod(Map.of(), null));
    controlPlane
        .admin()
        .rbac()
        .clusterRoleBindings()
        .resource(
            new io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName("forger")
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "cluster-admin")
                .addNewSubject(null, "ServiceAccount", EXTENDER, "default")
                .build())
        .create();

    assertThatThrownBy(
            () -> annotate(controlPlane.as("default", EXTENDER, Map.of()), pod, CARDS, "GPU-1"))
        .hasMessageContaining("written by the scheduler extender");
  }

  @Test
  void aDevicePluginCorrectsPodsOfItsOwnNodeOnly() {
    var pod = create(pod(Map.of(), "edge-01"));

    annotate(controlPlane.asAgent(DEVICE_PLUGIN, "edge-01"), pod, CARDS, "GPU-1");

    assertThatThrownBy(
            () -> annotate(controlPlane.asAgent(DEVICE_PLUGIN, "edge-02"), pod, CARDS, "GPU-2"))
        .hasMessageContaining("its own node only");
  }

  @Test
  void aDevicePluginChangesNothingElse() {
    var pod = create(pod(Map.of("others", "kept"), "edge-01"));

    assertThatThrownBy(
            () -> annotate(controlPlane.asAgent(DEVICE_PLUGIN, "edge-01"), pod, "other", "x"))
        .hasMessageContaining("annotations gpu.baetyl.io/* only");
    assertThatThrownBy(
            () -> annotate(controlPlane.asAgent(DEVICE_PLUGIN, "edge-01"), pod, "others", null))
        .hasMessageContaining("annotations gpu.baetyl.io/* only");
  }

  @Test
  void aBindingCarriesACardWhenTheExtenderMakesItOnly() {
    var pod = create(pod(Map.of(), null));
    var binding =
        new BindingBuilder()
            .withNewMetadata()
            .withName(pod.getMetadata().getName())
            .withNamespace("default")
            .addToAnnotations(CARDS, "GPU-1")
            .endMetadata()
            .withNewTarget()
            .withKind("Node")
            .withName("edge-01")
            .endTarget()
            .build();

    assertThatThrownBy(() -> bind(controlPlane.admin(), binding))
        .hasMessageContaining("written by the scheduler extender");
    try (var extender = controlPlane.as(EXTENDER)) {
      bind(extender, binding);
    }

    var bound = controlPlane.admin().resource(pod).get();
    assertThat(bound.getSpec().getNodeName()).isEqualTo("edge-01");
    assertThat(bound.getMetadata().getAnnotations()).containsEntry(CARDS, "GPU-1");
  }

  @Test
  void anAgentSpeaksForItsOwnNodeOnly() {
    var node = new GpuNode();
    node.setMetadata(new ObjectMetaBuilder().withName("edge-01").build());
    controlPlane.admin().resource(node).create();

    report(controlPlane.asAgent(DEVICE_PLUGIN, "edge-01"));

    await("the policy of node statuses is in force, and refuses")
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> report(controlPlane.asAgent(DEVICE_PLUGIN, "edge-02")))
                    .hasMessageContaining("the GpuNode of its own node only"));
  }

  private static void report(KubernetesClient agent) {
    var status = new GpuNode();
    status.setMetadata(new ObjectMetaBuilder().withName("edge-01").build());
    status.setStatus(
        new GpuNodeStatus(
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            new PluginStatus(PluginState.SERVING, null, null, null, null),
            null,
            null,
            null));
    try (agent) {
      agent
          .resource(status)
          .subresource("status")
          .patch(
              new PatchContext.Builder()
                  .withPatchType(PatchType.SERVER_SIDE_APPLY)
                  .withFieldManager("test")
                  .withForce(true)
                  .build());
    }
  }

  private static void bind(KubernetesClient client, Binding binding) {
    client.raw(
        "/api/v1/namespaces/default/pods/%s/binding".formatted(binding.getMetadata().getName()),
        "POST",
        binding);
  }
}
