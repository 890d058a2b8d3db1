package io.baetyl.gpu.operator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeSpec;
import io.baetyl.gpu.operator.apiserver.ControlPlane;
import io.baetyl.gpu.operator.config.Settings;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** That the operator goes on seeing the cluster, with the rights that it has. */
class ClusterViewIT {
  private static final Duration SOON = Duration.ofSeconds(60);
  private ControlPlane controlPlane;
  private KubernetesClient operator;
  private ClusterView view;

  @BeforeEach
  void start() {
    controlPlane = ControlPlane.start();
    operator = controlPlane.as("baetyl-gpu-operator");
    view = new ClusterView(operator, Settings.of(Map.of()));
    view.start();
  }

  @AfterEach
  void stop() {
    view.stop();
    operator.close();
    controlPlane.close();
  }

  private void create(String name) {
    var node = new GpuNode();
    node.setMetadata(new ObjectMetaBuilder().withName(name).build());
    node.setSpec(GpuNodeSpec.EMPTY);
    controlPlane.admin().resource(node).create();
  }

  private List<String> seen() {
    return view.gpuNodes().stream().map(node -> node.getMetadata().getName()).toList();
  }

  /** As a later version of the custom resource, or a mistake in one, may bring it. */
  @Test
  void anObjectThatCannotBeReadEndsNoWatchForGood() {
    var crd =
        controlPlane
            .admin()
            .apiextensions()
            .v1()
            .customResourceDefinitions()
            .withName("gpunodes.gpu.baetyl.io");
    crd.edit(
        definition -> {
          var schema =
              definition.getSpec().getVersions().getFirst().getSchema().getOpenAPIV3Schema();
          schema.getProperties().get("spec").setProperties(Map.of());
          schema.getProperties().get("spec").setXKubernetesValidations(List.of());
          schema.getProperties().get("spec").setXKubernetesPreserveUnknownFields(true);
          return definition;
        });
    var unreadable =
        new GenericKubernetesResourceBuilder()
            .withApiVersion("gpu.baetyl.io/v1alpha1")
            .withKind("GpuNode")
            .withNewMetadata()
            .withName("unreadable")
            .endMetadata()
            .addToAdditionalProperties(
                "spec", Map.of("accelerator", Map.of("more", List.of("than", "a", "text"))))
            .build();
    await("the schema is in force")
        .atMost(SOON)
        .ignoreExceptions()
        .until(() -> controlPlane.admin().resource(unreadable).create() != null);
    await().atMost(SOON).untilAsserted(() -> assertThat(view.deaf()).containsExactly("GpuNode"));
    assertThat(view.isPartlyDeaf()).isTrue();

    controlPlane.admin().resource(unreadable).delete();
    create("readable");

    await().atMost(SOON).untilAsserted(() -> assertThat(seen()).containsExactly("readable"));
    await().atMost(SOON).untilAsserted(() -> assertThat(view.deaf()).isEmpty());
  }

  @Test
  void aRestartOfTheApiServerIsOverSoon() {
    controlPlane.restartApiServer();

    create("later");

    await().atMost(SOON).untilAsserted(() -> assertThat(seen()).containsExactly("later"));
    await().atMost(SOON).untilAsserted(() -> assertThat(view.deaf()).isEmpty());
  }
}
