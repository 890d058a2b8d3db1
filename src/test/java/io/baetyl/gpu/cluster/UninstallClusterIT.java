package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeSpec;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfile;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** What the operator has made goes with the last custom resource, or with their definitions. */
@Order(7)
class UninstallClusterIT {
  private static final List<String> KINDS =
      List.of(
          "daemonsets",
          "deployments",
          "services",
          "configmaps",
          "secrets",
          "validatingadmissionpolicies",
          "validatingadmissionpolicybindings",
          "mutatingadmissionpolicies",
          "mutatingadmissionpolicybindings");

  /** What there is for one node that shares NVIDIA cards, and one that hands BM1684 chips out. */
  private static final List<String> MADE =
      List.of(
          "daemonset.apps/baetyl-accelerator-metrics",
          "daemonset.apps/baetyl-accelerator-device-plugin-nvidia-shared",
          "daemonset.apps/baetyl-accelerator-device-plugin-bitmain",
          "deployment.apps/baetyl-gpu-scheduler-extender",
          "deployment.apps/baetyl-gpu-scheduler",
          "service/baetyl-gpu-scheduler-extender",
          "configmap/baetyl-gpu-scheduler",
          "secret/baetyl-gpu-ca",
          "secret/baetyl-gpu-scheduler-extender-tls",
          "secret/baetyl-gpu-scheduler-tls",
          "validatingadmissionpolicy.admissionregistration.k8s.io/gpu-sharing-pods.gpu.baetyl.io",
          "validatingadmissionpolicybinding.admissionregistration.k8s.io/gpu-sharing-pods.gpu.baetyl.io",
          "mutatingadmissionpolicy.admissionregistration.k8s.io/gpu-sharing-pods.gpu.baetyl.io",
          "mutatingadmissionpolicybinding.admissionregistration.k8s.io/gpu-sharing-pods.gpu.baetyl.io",
          "validatingadmissionpolicy.admissionregistration.k8s.io/gpu-device-counts.gpu.baetyl.io",
          "validatingadmissionpolicybinding.admissionregistration.k8s.io/gpu-device-counts.gpu.baetyl.io");

  @Test
  void nothingIsLeftOnceTheLastResourceIsDeleted() {
    var cluster = TestCluster.withDefaultNodes();
    useTwoTypes(cluster, "edge-p4", "edge-4g", "edge-3090");

    cluster.client().resources(GpuNode.class).delete();
    cluster.client().resources(GpuShareProfile.class).delete();

    await("what the operator made is gone")
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofSeconds(1))
        .untilAsserted(() -> assertThat(made()).isEmpty());
    assertThat(namesOnNodes()).isEmpty();
    await("no node offers units")
        .atMost(Duration.ofSeconds(15))
        .untilAsserted(
            () ->
                assertThat(cluster.client().nodes().list().getItems())
                    .allSatisfy(
                        node ->
                            assertThat(node.getStatus().getAllocatable().get(SharingPod.RESOURCE))
                                .satisfiesAnyOf(
                                    units -> assertThat(units).isNull(),
                                    units ->
                                        assertThat(units.getNumericalAmount().intValue())
                                            .isZero())));
  }

  /** The garbage collector clears up where nobody of ours is left to do it. */
  @Test
  void nothingIsLeftWhereOperatorAndDefinitionsAreDeletedAtOnce() {
    var cluster = TestCluster.withDefaultNodes();
    useTwoTypes(cluster, "edge-p4");

    try {
      // First, so that it is not the operator that clears up.
      TestCluster.kubectl(
          "delete",
          "deployment",
          "baetyl-gpu-operator",
          "--namespace=" + TestCluster.SYSTEM,
          "--cascade=foreground");
      TestCluster.kubectl("delete", "-k", "dev/overlay", "--ignore-not-found", "--wait=false");

      await("what the operator made is gone")
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofSeconds(1))
          .untilAsserted(() -> assertThat(made()).isEmpty());
      TestCluster.kubectl(
          "label",
          "nodes",
          "--selector=gpu.baetyl.io/accelerator",
          "gpu.baetyl.io/accelerator-",
          "gpu.baetyl.io/allocation-");
      assertThat(namesOnNodes()).isEmpty();
    } finally {
      TestCluster.deployAgain();
    }
  }

  /** Has all kinds of objects made: NVIDIA cards are shared, and another type is handed out. */
  private static void useTwoTypes(TestCluster cluster, String... sharing) {
    try (var shared = Sharing.of(cluster, Sharing.BINPACK, sharing)) {
      shared.run(SharingPod.of("guest", 4));
    }
    var gpuNode = new GpuNode();
    gpuNode.setMetadata(new ObjectMetaBuilder().withName("edge-plain").build());
    gpuNode.setSpec(new GpuNodeSpec(AcceleratorType.BITMAIN, null, AllocationMode.DEVICES, null));
    cluster.client().resource(gpuNode).serverSideApply();
    await("all objects are there, and no others")
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofSeconds(1))
        .untilAsserted(() -> assertThat(made()).containsExactlyInAnyOrderElementsOf(MADE));
  }

  /** The objects with our label, by kind and name: what the operator made. */
  private static List<String> made() {
    return TestCluster.kubectl(
            "get",
            String.join(",", KINDS),
            "--all-namespaces",
            "--selector=app.kubernetes.io/managed-by=baetyl-gpu-operator",
            "--output=name")
        .lines()
        .toList();
  }

  /** Labels and annotations of ours on nodes. */
  private static List<String> namesOnNodes() {
    return TestCluster.withDefaultNodes().client().nodes().list().getItems().stream()
        .flatMap(
            node ->
                Stream.of(node.getMetadata().getLabels(), node.getMetadata().getAnnotations())
                    .flatMap(names -> names.keySet().stream())
                    .filter(name -> name.contains("gpu.baetyl.io"))
                    .map(name -> node.getMetadata().getName() + ": " + name))
        .toList();
  }
}
