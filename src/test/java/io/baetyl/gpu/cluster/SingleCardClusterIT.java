package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.cluster.oracle.WatchedByOracle;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** One card of 24259 MiB on a cluster of one node, told as one story. */
@Order(1)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@WatchedByOracle
class SingleCardClusterIT {
  private static final String NODE = "edge-3090";
  private static final Map<String, String> APP = Map.of("app", "third");
  private static Sharing sharing;

  @BeforeAll
  static void shareTheCard() {
    sharing = Sharing.of(TestCluster.withOneNode(), Sharing.BINPACK, NODE);
  }

  @AfterAll
  static void cleanUp() {
    sharing.close();
  }

  @Test
  @Order(1)
  void aCardOffersWholeUnits() {
    var device = sharing.gpuNode(NODE).getStatus().devices().getFirst();

    assertThat(sharing.allocatable(NODE)).isEqualTo(94);
    assertThat(device.memoryMiB()).isEqualTo(24259);
    assertThat(device.units()).isEqualTo(94);
    assertThat(device.unusableMiB()).isEqualTo(24259 - 94 * 256);
  }

  @Test
  @Order(2)
  void podsShareTheCard() {
    sharing.run(SharingPod.of("first", 50), SharingPod.of("second", 40));
    deployThird(1);

    await().atMost(Sharing.POD_START).until(() -> running(third()).size() == 1);

    assertThat(sharing.agreed(NODE)).extracting(Held::units).containsExactlyInAnyOrder(50, 40, 1);
    await()
        .atMost(Duration.ofSeconds(10))
        .untilAsserted(
            () -> {
              assertThat(sharing.summary(NODE).allocatedUnits()).isEqualTo(91);
              assertThat(sharing.summary(NODE).allocatedUnits() * 256).isEqualTo(23296);
              assertThat(sharing.summary(NODE).freeUnits()).isEqualTo(3);
            });
  }

  @Test
  @Order(3)
  void anUpdateThatDoesNotFitWaitsForGood() {
    deployThird(10);

    await()
        .atMost(Sharing.POD_START)
        .untilAsserted(
            () ->
                assertThat(third())
                    .singleElement()
                    .satisfies(
                        waiting ->
                            assertThat(sharing.messages(waiting.getMetadata().getName()))
                                .anySatisfy(
                                    message ->
                                        assertThat(message)
                                            .contains(
                                                "0/1 nodes are available: 1 Insufficient"
                                                    + " baidu.com/vcuda-memory."))));
    assertThat(third().getFirst().getStatus().getPhase()).isEqualTo("Pending");
    assertThat(sharing.agreed(NODE)).extracting(Held::units).containsExactlyInAnyOrder(50, 40);
  }

  private static void deployThird(int units) {
    var pod = SharingPod.of("unused", units).build().getSpec();
    pod.getContainers()
        .getFirst()
        .getResources()
        .setLimits(Map.of(SharingPod.RESOURCE, new Quantity(Integer.toString(units))));
    var deployment =
        new DeploymentBuilder()
            .withNewMetadata()
            .withName("third")
            .withNamespace(sharing.namespace())
            .endMetadata()
            .withNewSpec()
            .withReplicas(1)
            .withNewSelector()
            .withMatchLabels(APP)
            .endSelector()
            .withNewStrategy()
            .withType("RollingUpdate")
            .withNewRollingUpdate()
            .withNewMaxUnavailable(1)
            .endRollingUpdate()
            .endStrategy()
            .withNewTemplate()
            .withNewMetadata()
            .withLabels(APP)
            .endMetadata()
            .withSpec(pod)
            .endTemplate()
            .endSpec()
            .build();
    sharing.client().resource(deployment).serverSideApply();
  }

  private static List<Pod> third() {
    return sharing
        .client()
        .pods()
        .inNamespace(sharing.namespace())
        .withLabels(APP)
        .list()
        .getItems();
  }

  private static List<Pod> running(List<Pod> pods) {
    return pods.stream().filter(pod -> pod.getStatus().getPhase().equals("Running")).toList();
  }
}
