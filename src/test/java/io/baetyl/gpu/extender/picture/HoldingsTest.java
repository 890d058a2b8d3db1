package io.baetyl.gpu.extender.picture;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.AllocationState;
import io.baetyl.gpu.api.v1alpha1.CardDecision;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileSpec;
import io.baetyl.gpu.api.v1alpha1.PluginState;
import io.baetyl.gpu.api.v1alpha1.Sharing;
import io.baetyl.gpu.extender.Scheduler;
import io.baetyl.gpu.extender.pods.PodFacts;
import io.baetyl.gpu.extender.pods.Pods;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What counts as held: by decision and spec, by the device plugin's list, and by both. */
class HoldingsTest {
  private final Scheduler scheduler = new Scheduler();
  private final PodFacts pod = Pods.waiting("a", 10);

  @Test
  void p1AUnitIsFreeOnlyWhenThePluginListsItNoMore() {
    scheduler.picture.put(Nodes.sharing("n", 16));
    scheduler.place(pod, "n");
    listed(AllocationState.RUNNING);
    scheduler.picture.put(Pods.ending(scheduler.api.pod(pod.uid())));
    assertThat(free()).as("in its grace period").isEqualTo(6);
    scheduler.picture.remove(pod.uid());
    listed(AllocationState.TERMINATING);
    assertThat(free()).as("gone from the API, its process alive").isEqualTo(6);
    scheduler.picture.put(Nodes.sharing("n", 16));
    assertThat(free()).as("its process gone").isEqualTo(16);
  }

  @Test
  void decisionAndListOfOnePodCountOnce() {
    scheduler.picture.put(Nodes.sharing("n", 16));
    scheduler.place(pod, "n");
    listed(AllocationState.RUNNING);
    assertThat(free()).isEqualTo(6);
  }

  @Test
  void aPodThatHasEndedHoldsNothingOfItself() {
    scheduler.picture.put(Nodes.sharing("n", 16));
    scheduler.place(pod, "n");
    listed(AllocationState.RUNNING);
    var ended =
        Pods.read(
            Pods.json("a", 10, 0)
                .replace("Pending", "Succeeded")
                .replace("\"spec\":{", "\"spec\":{\"nodeName\":\"n\","));
    scheduler.picture.put(ended);
    assertThat(free()).as("the plugin still lists it").isEqualTo(6);
    scheduler.picture.put(Nodes.sharing("n", 16));
    assertThat(free()).isEqualTo(16);
  }

  @Test
  void aPodThatVanishesBeforeThePluginCouldListItKeepsItsCardForAMoment() {
    scheduler.picture.put(Nodes.sharing("n", 16));
    scheduler.place(pod, "n");
    scheduler.picture.remove(pod.uid());
    assertThat(free()).isEqualTo(6);
    scheduler.clock.pass(Node.UNLISTED_PODS_LINGER);
    scheduler.picture.expire(scheduler.clock.instant());
    assertThat(free()).isEqualTo(16);
  }

  @Test
  void aNodeOfWhichNothingIsLeftIsForgotten() {
    scheduler.picture.put(Nodes.sharing("n", 16));
    scheduler.place(pod, "n");
    scheduler.picture.remove(pod.uid());
    scheduler.picture.removeGpuNode("n");
    assertThat(scheduler.picture.nodes()).hasSize(1);
    scheduler.clock.pass(Node.UNLISTED_PODS_LINGER);
    scheduler.picture.expire(scheduler.clock.instant());
    assertThat(scheduler.picture.nodes()).as("after its last pod's cards").isEmpty();
  }

  @Test
  void aNodeOfWhichOnlyAReservationIsLeftIsForgottenWithIt() {
    scheduler.picture.put(Nodes.sharing("n", 16));
    scheduler.create(pod);
    scheduler.bind(pod, "n");
    scheduler.picture.removeGpuNode("n");
    assertThat(scheduler.picture.nodes()).hasSize(1);
    scheduler.picture.release(pod.uid());
    assertThat(scheduler.picture.nodes()).isEmpty();
  }

  @Test
  void p2ADecisionOfAnotherPodOrWithoutSenseDecidesNothing() {
    scheduler.picture.put(Nodes.sharing("n", 16));
    for (var forged :
        List.of(
            "uid-b:main=n-0",
            "uid-a:main=",
            "uid-a:other=n-0",
            "uid-a:",
            "n-0",
            "uid-a:main=n-0,=n-0",
            "{\"main\":{\"units\":-999999999}}")) {
      scheduler.picture.put(Pods.bound(pod, "n", CardDecision.parse(forged, pod.uid())));
      assertThat(free()).as(forged).isEqualTo(16);
    }
    listed(AllocationState.RUNNING);
    assertThat(free()).as("what it really has counts").isEqualTo(6);
  }

  @Test
  void p2AmountsBeyondReasonAreOnlyTooMuch() {
    scheduler.picture.put(Nodes.sharing("n", 16, 16));
    for (var amount : List.of("9223372036854775807", "1e30", "4294967296", "2147483648", "10Ei")) {
      var absurd = Pods.read(Pods.json("x", 7, 0).replace("\"7\"", '"' + amount + '"'));
      assertThat(scheduler.picture.node("n").view().judge(absurd.demands().get(Pods.RESOURCE)))
          .as(amount)
          .isEqualTo(Verdict.LARGER_THAN_CARDS);
      scheduler.picture.put(Pods.bound(absurd, "n", "n-0"));
      assertThat(free()).as("the other card, after one of " + amount).isEqualTo(16);
    }
    for (var amount : List.of("-5", "0", "x", "")) {
      var nothing = Pods.read(Pods.json("x", 7, 0).replace("\"7\"", '"' + amount + '"'));
      assertThat(nothing.demands()).as(amount).isEmpty();
    }
  }

  @Test
  void p3InitContainersCountByKubernetesOwnRule() {
    scheduler.picture.put(Nodes.sharing("n", 16));
    var pod =
        Pods.read(
            Pods.json("i", 4, 0)
                .replace(
                    "\"spec\":{",
                    """
                    "spec":{"initContainers":[{"name":"load","resources":{"limits":{"%s":"10"}}}],\
                    """
                        .formatted(Pods.RESOURCE)));
    scheduler.picture.put(
        Pods.bound(
            pod,
            "n",
            Optional.of(new CardDecision("uid-i", Map.of("load", "n-0", "main", "n-0")))));
    assertThat(free()).isEqualTo(6);
  }

  @Test
  void rulesThatComeAfterThePodsFindThem() {
    scheduler.picture.put(Pods.bound(pod, "n", "n-0"));
    scheduler.picture.put(Nodes.by(null, Nodes.sharing("n", 16)));
    scheduler.picture.put(Nodes.sharing("n", 16));
    assertThat(free()).isEqualTo(6);
  }

  @Test
  void unitsAreThoseOfTheRulesInForceAndNotThoseThatTheMetricsAgentHasWritten() {
    var inHalves = Sharing.of(new GpuShareProfileSpec(null, "512Mi", null, null, "256Mi", null));
    scheduler.picture.put(Nodes.by(inHalves, Nodes.sharing("n", 16)));
    assertThat(free()).isEqualTo(7);
  }

  private void listed(AllocationState state) {
    scheduler.picture.put(
        Nodes.sharing(
            "n", PluginState.SERVING, List.of(Nodes.allocation("a", "n-0", 10, state)), 16));
  }

  private int free() {
    return scheduler.picture.node("n").view().cards().largestFree();
  }
}
