package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.cluster.oracle.WatchedByOracle;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Node and card are decided in one write, so whoever comes second changes nothing. */
@Order(3)
@WatchedByOracle
class BindClusterIT {
  private static final String NODE = "edge-4g";
  private static final String SCHEDULER = "baetyl-gpu-scheduler";

  /** As while the scheduler is rolled out: each pod is in the queues of both. */
  @Test
  void twoSchedulersBindTheSamePods() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      long correctionsBefore = Corrections.of(NODE);
      var names = IntStream.range(0, 10).mapToObj(number -> "pod-" + number).toList();
      var second = sharing.client().resource(secondScheduler(sharing));
      second.create();
      try {
        await("the second scheduler is ready").atMost(Sharing.POD_START).until(second::isReady);
        names.parallelStream()
            .forEach(name -> sharing.create(SharingPod.of(name, 3).gracePeriodSeconds(0)));
        names.forEach(sharing::awaitRunning);
      } finally {
        second.delete();
      }

      var held = sharing.agreed(NODE);

      assertThat(held).hasSize(names.size());
      assertThat(held)
          .allSatisfy(
              share ->
                  assertThat(sharing.decided(share.pod())).containsEntry("main", share.card()));
      assertThat(Corrections.of(NODE)).isEqualTo(correctionsBefore);
    }
  }

  private static Deployment secondScheduler(Sharing sharing) {
    var first =
        sharing
            .client()
            .apps()
            .deployments()
            .inNamespace(TestCluster.SYSTEM)
            .withName(SCHEDULER)
            .get();
    var labels = Map.of("app", "second-scheduler");
    return new DeploymentBuilder()
        .withNewMetadata()
        .withName("second-scheduler")
        .withNamespace(TestCluster.SYSTEM)
        .endMetadata()
        .withNewSpec()
        .withNewSelector()
        .withMatchLabels(labels)
        .endSelector()
        .withNewTemplate()
        .withNewMetadata()
        .withLabels(labels)
        .endMetadata()
        .withSpec(first.getSpec().getTemplate().getSpec())
        .endTemplate()
        .endSpec()
        .build();
  }

  /** The decision for a pod is none for another one of its name. */
  @Test
  void aPodIsDeletedAndMadeAgainUnderItsName() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      for (int round = 0; round < 12; round++) {
        sharing.create(SharingPod.of("again", 2 + round % 5 * 3).gracePeriodSeconds(0));
        // From before the filter to after the container's start.
        pause(round * 60L);
        sharing.delete("again");
        sharing.awaitGone("again");
      }
      sharing.run(SharingPod.of("again", 16), SharingPod.of("beside", 16));

      assertThat(sharing.agreed(NODE)).hasSize(2).extracting(Held::card).doesNotHaveDuplicates();
      for (var name : List.of("again", "beside")) {
        assertThat(sharing.decided(name)).as(name).hasSize(1);
      }
    }
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError(interrupted);
    }
  }
}
