package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationState;
import io.baetyl.gpu.api.v1alpha1.DecidedBy;
import io.baetyl.gpu.cluster.oracle.WatchedByOracle;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Pods that come to the node past the scheduler: placed beside the others, or refused in words. */
@Order(3)
@WatchedByOracle
class NoDecisionClusterIT {
  private static final String NODE = "edge-4g";

  @Test
  void aPodWithANodeNameIsPlacedWhereThereIsRoomOrFails() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      sharing.run(SharingPod.of("decided", 10), SharingPod.of("past", 10).boundTo(NODE));

      assertThat(sharing.decided("past")).isEmpty();
      assertThat(SharedCardsClusterIT.unitsByCard(sharing.agreed(NODE)))
          .containsExactlyInAnyOrder(List.of(10), List.of(10));

      sharing.create(SharingPod.of("too-many", 8).boundTo(NODE));
      await("it fails, and says why")
          .atMost(Sharing.POD_START)
          .untilAsserted(
              () -> {
                var status = sharing.pod("too-many").getStatus();
                assertThat(status.getPhase()).isEqualTo("Failed");
                assertThat(status.getMessage())
                    .contains("no other card has them free (the largest free block is 6)");
              });
      assertThat(sharing.agreed(NODE)).extracting(Held::pod).containsOnly("decided", "past");
      assertThat(decidedBy(sharing))
          .containsOnly(
              tuple("decided", DecidedBy.SCHEDULER), tuple("past", DecidedBy.DEVICE_PLUGIN));
    }
  }

  @Test
  void aStaticPodIsPlacedWhereThereIsRoomOrFails() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      var fromFile = SharingPod.of("from-file", 10);
      var tooMany = SharingPod.of("too-many", 8);
      try {
        sharing.run(SharingPod.of("decided", 10));
        sharing.awaitRunning(sharing.createStatic(fromFile));

        assertThat(sharing.decided("from-file-" + NODE)).isEmpty();
        assertThat(SharedCardsClusterIT.unitsByCard(sharing.agreed(NODE)))
            .containsExactlyInAnyOrder(List.of(10), List.of(10));

        // The kubelet makes no mirror of a static pod that it has not admitted.
        sharing.createStatic(tooMany);
        await("it is refused, and the plugin says why")
            .atMost(Sharing.POD_START)
            .untilAsserted(
                () ->
                    assertThat(pluginLog(sharing))
                        .anySatisfy(
                            line ->
                                assertThat(line)
                                    .contains(sharing.namespace() + "/too-many")
                                    .contains("(the largest free block is 6)")));
        assertThat(sharing.agreed(NODE)).hasSize(2);
        assertThat(decidedBy(sharing))
            .containsOnly(
                tuple("decided", DecidedBy.SCHEDULER),
                tuple("from-file-" + NODE, DecidedBy.DEVICE_PLUGIN));
      } finally {
        sharing.deleteStatic(fromFile);
        sharing.deleteStatic(tooMany);
      }
    }
  }

  /** It is older, so a kubelet that starts admits it first. */
  @Test
  void whatWasPromisedToAnotherIsNotTaken() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      try {
        Kubelet.pause(NODE);
        sharing.create(SharingPod.of("past", 12).boundTo(NODE));
        sharing.create(SharingPod.of("decided", 12));
        sharing.awaitBound("decided");
        await("the status tells of the promise")
            .atMost(Sharing.POD_START)
            .untilAsserted(
                () ->
                    assertThat(sharing.gpuNode(NODE).getStatus().allocations())
                        .extracting(Allocation::pod, Allocation::state)
                        .contains(tuple("decided", AllocationState.ASSUMED)));
      } finally {
        Kubelet.kill(NODE);
      }
      sharing.awaitRunning("past");
      sharing.awaitRunning("decided");

      assertThat(cards(sharing.agreed(NODE), "decided"))
          .containsExactlyElementsOf(sharing.decided("decided").values());
      assertThat(sharing.agreed(NODE)).extracting(Held::card).doesNotHaveDuplicates();
      assertThat(decidedBy(sharing))
          .containsOnly(
              tuple("decided", DecidedBy.SCHEDULER), tuple("past", DecidedBy.DEVICE_PLUGIN));
    }
  }

  /** The kubelet does not look at resources that its node does not have. */
  @Test
  void aPodWithTheNameOfANodeThatSharesNothingRunsWithoutACard() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      var pods = sharing.client().pods().inNamespace(sharing.namespace());
      pods.resource(SharingPod.of("stray", 4).boundTo("edge-plain").build()).create();

      sharing.awaitRunning("stray");

      await("it has looked for cards")
          .atMost(Sharing.POD_START)
          .untilAsserted(
              () ->
                  assertThat(sharing.inside(sharing.pod("stray"), "main"))
                      .hasValueSatisfying(inside -> assertThat(inside.seesNoCard()).isTrue()));
    }
  }

  @Test
  void aPodOfADaemonSetIsDecidedLikeAnyOther() {
    var app = Map.of("app", "daemon");
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      var pod = SharingPod.of("unused", 4).on(NODE).build().getSpec();
      sharing
          .client()
          .resource(
              new DaemonSetBuilder()
                  .withNewMetadata()
                  .withName("daemon")
                  .withNamespace(sharing.namespace())
                  .endMetadata()
                  .withNewSpec()
                  .withNewSelector()
                  .withMatchLabels(app)
                  .endSelector()
                  .withNewTemplate()
                  .withNewMetadata()
                  .withLabels(app)
                  .endMetadata()
                  .withSpec(pod)
                  .endTemplate()
                  .endSpec()
                  .build())
          .create();
      await("its pod runs")
          .atMost(Sharing.POD_START)
          .until(
              () ->
                  podsOf(sharing, app).stream()
                          .filter(made -> "Running".equals(made.getStatus().getPhase()))
                          .count()
                      == 1);

      var name = podsOf(sharing, app).getFirst().getMetadata().getName();
      assertThat(cards(sharing.agreed(NODE), name))
          .containsExactlyElementsOf(sharing.decided(name).values());
      assertThat(decidedBy(sharing)).containsOnly(tuple(name, DecidedBy.SCHEDULER));
      sharing.client().apps().daemonSets().inNamespace(sharing.namespace()).delete();
    }
  }

  private static List<String> pluginLog(Sharing sharing) {
    var plugin = Components.podOn(sharing.client(), Components.DEVICE_PLUGIN, NODE);
    return sharing
        .client()
        .pods()
        .inNamespace(TestCluster.SYSTEM)
        .withName(plugin.getMetadata().getName())
        .getLog()
        .lines()
        .toList();
  }

  /** Whom the status names for each of the test's pods. */
  private static List<Tuple> decidedBy(Sharing sharing) {
    return sharing.gpuNode(NODE).getStatus().allocations().stream()
        .filter(row -> row.namespace().equals(sharing.namespace()))
        .map(row -> tuple(row.pod(), row.decidedBy()))
        .toList();
  }

  private static List<Pod> podsOf(Sharing sharing, Map<String, String> labels) {
    return sharing
        .client()
        .pods()
        .inNamespace(sharing.namespace())
        .withLabels(labels)
        .list()
        .getItems();
  }

  private static Set<String> cards(Set<Held> held, String pod) {
    return held.stream()
        .filter(share -> share.pod().equals(pod))
        .map(Held::card)
        .collect(Collectors.toSet());
  }
}
