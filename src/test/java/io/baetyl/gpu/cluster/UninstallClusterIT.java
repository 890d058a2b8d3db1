package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** The last custom resource goes, and with it all that the operator has made. */
@Order(6)
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

  /** Objects with our label that the operator made, and nodes that still carry a name of ours. */
  private static List<String> leftovers() {
    var left = new ArrayList<String>();
    TestCluster.kubectl(
            "get",
            String.join(",", KINDS),
            "--all-namespaces",
            "--selector=app.kubernetes.io/managed-by=baetyl-gpu-operator",
            "--output=name")
        .lines()
        .forEach(left::add);
    TestCluster.withDefaultNodes().client().nodes().list().getItems().stream()
        .flatMap(
            node ->
                Stream.of(node.getMetadata().getLabels(), node.getMetadata().getAnnotations())
                    .flatMap(names -> names.keySet().stream())
                    .filter(name -> name.contains("gpu.baetyl.io"))
                    .map(name -> node.getMetadata().getName() + ": " + name))
        .forEach(left::add);
    return left;
  }
}
