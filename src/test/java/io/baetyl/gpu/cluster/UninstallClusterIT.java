package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfile;
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

  @Test
  void nothingIsLeftOnceTheLastResourceIsDeleted() {
    var cluster = TestCluster.withDefaultNodes();
    try (var sharing = Sharing.of(cluster, Sharing.BINPACK, "edge-p4", "edge-4g", "edge-3090")) {
      sharing.run(SharingPod.of("guest", 4));
    }

    cluster.client().resources(GpuNode.class).delete();
    cluster.client().resources(GpuShareProfile.class).delete();

    await("what the operator made is gone")
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofSeconds(1))
        .untilAsserted(() -> assertThat(leftovers()).isEmpty());
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
    try (var sharing = Sharing.of(cluster, Sharing.BINPACK, "edge-p4")) {
      sharing.run(SharingPod.of("guest", 4));
    }
    assertThat(leftovers()).hasSize(13);

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
          .untilAsserted(() -> assertThat(leftovers()).isEmpty());
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

  /** Objects with our label that the operator made. */
  private static List<String> leftovers() {
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
