package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.hasSize;

import io.baetyl.gpu.cluster.oracle.WatchedByOracle;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Node and card are decided in one write, so whoever comes second changes nothing. */
@Order(3)
@WatchedByOracle
class BindClusterIT {
  private static final String NODE = "edge-4g";
  private static final String SCHEDULER = "baetyl-gpu-scheduler";
  private static final String SECOND = "second-scheduler";
  private static final int ROUNDS = 6;

  /** As while the scheduler is rolled out: each pod is in the queues of both. */
  @Test
  void twoSchedulersBindTheSamePods() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      long correctionsBefore = Corrections.of(NODE);
      var binders = new HashSet<String>();
      var second = sharing.client().resource(secondScheduler(sharing));
      second.create();
      try {
        await("the second scheduler is ready").atMost(Sharing.POD_START).until(second::isReady);
        // Which of them is first is chance, and the second still fills its caches in the beginning.
        for (int round = 0; round < ROUNDS && binders.size() < 2; round++) {
          binders.addAll(bindersOfPodsAtOnce(sharing, "round-" + round));
        }
      } finally {
        second.delete();
      }
      assertThat(binders).containsExactlyInAnyOrder(SCHEDULER, SECOND);
      assertThat(Corrections.of(NODE)).isEqualTo(correctionsBefore);
    }
  }

  /** Runs pods, checks that each has the card decided for it, and deletes them. */
  private static Set<String> bindersOfPodsAtOnce(Sharing sharing, String prefix) {
    var names = IntStream.range(0, 10).mapToObj(number -> prefix + "-" + number).toList();
    names.parallelStream()
        .forEach(name -> sharing.create(SharingPod.of(name, 3).gracePeriodSeconds(0)));
    names.forEach(sharing::awaitRunning);

    assertThat(sharing.agreed(NODE))
        .hasSize(names.size())
        .allSatisfy(
            share -> assertThat(sharing.decided(share.pod())).containsEntry("main", share.card()));
    // The events come a while after the pods run.
    var binders =
        await()
            .atMost(Duration.ofSeconds(10))
            .until(
                () -> names.stream().flatMap(name -> binder(sharing, name).stream()).toList(),
                hasSize(names.size()));
    names.forEach(sharing::delete);
    names.forEach(sharing::awaitGone);
    return Set.copyOf(binders);
  }

  /** Which scheduler says that it has bound a pod: each names the pod that it runs in. */
  private static Optional<String> binder(Sharing sharing, String pod) {
    return sharing.events(pod).stream()
        .filter(event -> event.getReason().equals("Scheduled"))
        .map(event -> event.getReportingInstance().contains(SECOND) ? SECOND : SCHEDULER)
        .findFirst();
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
    var labels = Map.of("app", SECOND);
    return new DeploymentBuilder()
        .withNewMetadata()
        .withName(SECOND)
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

  /**
   * The decision for a pod is none for another one of its name. The extender stands while the
   * scheduler asks it to filter, and the pod is deleted and made again: the scheduler then goes on
   * to have the first one bound.
   */
  @Test
  void aPodIsDeletedAndMadeAgainUnderItsNameBetweenFilterAndBind() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      var extender = Components.pods(sharing.client(), Components.EXTENDER).getFirst();
      long before = bindsInVain();
      for (int round = 0; round < ROUNDS; round++) {
        int units = 1 + round % 3;
        var first =
            whileItStands(
                extender,
                () -> {
                  var uid = again(sharing, units);
                  // The scheduler asks within milliseconds, and the extender answers none of it.
                  await().pollDelay(Duration.ofMillis(300)).until(() -> true);
                  deleteAtOnce(sharing);
                  again(sharing, 4 - units);
                  return uid;
                });
        sharing.awaitBound("again");
        var second = sharing.pod("again");
        assertThat(second.getMetadata().getUid()).isNotEqualTo(first);
        assertThat(sharing.decided("again"))
            .as("a decision for the second, by its UID: %s", second.getMetadata().getAnnotations())
            .containsOnlyKeys("main");
        deleteAtOnce(sharing);
      }
      System.out.printf(
          "%d pods under one name: %d were gone when they were to be bound%n",
          2 * ROUNDS, bindsInVain() - before);
      assertThat(bindsInVain() - before).as("binds of pods that were gone").isPositive();

      sharing.run(SharingPod.of("again", 16), SharingPod.of("beside", 16));
      assertThat(sharing.agreed(NODE)).hasSize(2).extracting(Held::card).doesNotHaveDuplicates();
      for (var name : List.of("again", "beside")) {
        assertThat(sharing.decided(name)).as(name).hasSize(1);
      }
    }
  }

  /** From before the filter to after the container's start, as it comes. */
  @Test
  void aPodIsDeletedAndMadeAgainUnderItsNameAtAnyTime() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      for (int round = 0; round < 2 * ROUNDS; round++) {
        again(sharing, 1 + round % 3);
        await().pollDelay(Duration.ofMillis(round * 30L)).until(() -> true);
        deleteAtOnce(sharing);
      }
      sharing.run(SharingPod.of("again", 16), SharingPod.of("beside", 16));

      assertThat(sharing.agreed(NODE)).hasSize(2).extracting(Held::card).doesNotHaveDuplicates();
    }
  }

  private static String again(Sharing sharing, int units) {
    return sharing
        .create(SharingPod.of("again", units).gracePeriodSeconds(0))
        .getMetadata()
        .getUid();
  }

  private static void deleteAtOnce(Sharing sharing) {
    sharing
        .client()
        .pods()
        .inNamespace(sharing.namespace())
        .withName("again")
        .withGracePeriod(0)
        .delete();
  }

  private static String whileItStands(Pod pod, Supplier<String> action) {
    var node = pod.getSpec().getNodeName();
    var uid = pod.getMetadata().getUid();
    PodProcesses.pause(node, uid);
    try {
      return action.get();
    } finally {
      PodProcesses.resume(node, uid);
    }
  }

  /** Binds that the extender refused for another reason than that the room was gone. */
  private static long bindsInVain() {
    return ExtenderCount.BIND_FAILURES.now() - ExtenderCount.LOST_RACES.now();
  }
}
