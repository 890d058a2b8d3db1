package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** A Deployment of equal pods on the test's node, which replaces those that fail. */
final class Replicas {
  private static final String NAME = "replica";
  private static final String LABEL = "app";

  private final Sharing sharing;
  private final int replicas;

  private Replicas(Sharing sharing, int replicas) {
    this.sharing = sharing;
    this.replicas = replicas;
  }

  static Replicas of(Sharing sharing, int replicas, SharingPod pod) {
    var labels = Map.of(LABEL, NAME);
    sharing
        .client()
        .resource(
            new DeploymentBuilder()
                .withNewMetadata()
                .withName(NAME)
                .withNamespace(sharing.namespace())
                .endMetadata()
                .withNewSpec()
                .withReplicas(replicas)
                .withNewSelector()
                .withMatchLabels(labels)
                .endSelector()
                .withNewTemplate()
                .withNewMetadata()
                .withLabels(labels)
                .endMetadata()
                .withSpec(sharing.here(pod).build().getSpec())
                .endTemplate()
                .endSpec()
                .build())
        .create();
    return new Replicas(sharing, replicas);
  }

  /**
   * Waits until all are there, and they are on their way: at least one is bound and does not run
   * yet, and at least one is not bound.
   */
  void awaitOnTheirWay() {
    await(replicas + " replicas are on their way")
        .atMost(Sharing.POD_START)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(10))
        .untilAsserted(
            () -> {
              var pods = pods();
              assertThat(pods).hasSize(replicas);
              assertThat(pods).anyMatch(pod -> isBound(pod) && !isRunning(pod));
              assertThat(pods).anyMatch(pod -> !isBound(pod));
            });
  }

  private static boolean isBound(Pod pod) {
    return pod.getSpec().getNodeName() != null;
  }

  /** Waits until so many of them run, and no more. */
  void awaitRunning(int count, Duration limit) {
    await(count + " replicas run")
        .atMost(limit)
        .pollInterval(Duration.ofMillis(500))
        .untilAsserted(() -> assertThat(pods()).filteredOn(Replicas::isRunning).hasSize(count));
  }

  static boolean isRunning(Pod pod) {
    return pod.getStatus().getPhase().equals("Running");
  }

  List<Pod> pods() {
    return sharing
        .client()
        .pods()
        .inNamespace(sharing.namespace())
        .withLabel(LABEL, NAME)
        .list()
        .getItems();
  }

  /** Deletes some of the pods, which others replace. */
  void deletePods(Predicate<Pod> which) {
    pods().stream().filter(which).forEach(pod -> sharing.client().resource(pod).delete());
  }

  /** Ends the Deployment, so that none of its pods is made again. */
  void delete() {
    sharing.client().apps().deployments().inNamespace(sharing.namespace()).withName(NAME).delete();
  }
}
