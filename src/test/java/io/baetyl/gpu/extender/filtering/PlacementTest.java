package io.baetyl.gpu.extender.filtering;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.api.v1alpha1.Placement;
import io.baetyl.gpu.api.v1alpha1.PluginState;
import io.baetyl.gpu.extender.Scheduler;
import io.baetyl.gpu.extender.picture.Nodes;
import io.baetyl.gpu.extender.picture.Verdict;
import io.baetyl.gpu.extender.pods.Pods;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlacementTest {
  private final Scheduler scheduler = new Scheduler();

  @Test
  void s5ThreePodsOnTwoP4() {
    scheduler.picture.put(Nodes.sharing("p4", 29, 29));
    assertThat(scheduler.place(Pods.waiting("a", 4), "p4")).isEqualTo("p4-0");
    assertThat(scheduler.place(Pods.waiting("b", 20), "p4")).isEqualTo("p4-0");
    assertThat(scheduler.place(Pods.waiting("c", 20), "p4")).isEqualTo("p4-1");
  }

  @Test
  void s6AndS7OnTwoCardsOfFourGibibytes() {
    scheduler.picture.put(Nodes.sharing("small", 16, 16));
    assertThat(scheduler.place(Pods.waiting("a", 8), "small")).isEqualTo("small-0");
    assertThat(scheduler.place(Pods.waiting("b", 12), "small")).isEqualTo("small-1");
    assertThat(scheduler.place(Pods.waiting("c", 8), "small")).isEqualTo("small-0");
  }

  @Test
  void s8IsRefusedWithTheLargestFreeBlock() {
    scheduler.picture.put(Nodes.sharing("small", 16, 16));
    scheduler.place(Pods.waiting("a", 10), "small");
    scheduler.place(Pods.waiting("b", 10), "small");
    var answer = scheduler.filter(Pods.waiting("c", 8), "small");
    assertThat(answer.passed()).isEmpty();
    assertThat(answer.failed())
        .containsEntry(
            "small", "no single card has 8 units of baidu.com/vcuda-memory free (largest free: 6)");
  }

  @Test
  void s13AnExclusivePodLeavesTheRestOfItsCardUnused() {
    scheduler.picture.put(Nodes.sharing("p4", 29, 29));
    assertThat(scheduler.place(Pods.waiting("a", 24), "p4")).isEqualTo("p4-0");
    assertThat(scheduler.place(Pods.waiting("b", 4), "p4")).isEqualTo("p4-1");
  }

  @Test
  void urA08ThreeCardsWithSixFree() {
    scheduler.picture.put(Nodes.sharing("n", 6, 6, 6));
    assertThat(scheduler.filter(Pods.waiting("a", 8), "n").lasting())
        .containsEntry("n", "no card has 8 units of baidu.com/vcuda-memory (largest card: 6)");
    assertThat(scheduler.filter(Pods.waiting("b", 6), "n").passed()).containsExactly("n");
  }

  @Test
  void urA10TheBigRequestGoesToTheBigCard() {
    scheduler.picture.put(Nodes.sharing("mixed", 40, 80));
    assertThat(scheduler.place(Pods.waiting("a", 60), "mixed")).isEqualTo("mixed-1");
  }

  @Test
  void anExclusiveRequestSaysThatItNeedsAnEmptyCard() {
    scheduler.picture.put(Nodes.sharing("p4", 29));
    scheduler.place(Pods.waiting("a", 1), "p4");
    assertThat(scheduler.filter(Pods.waiting("b", 24), "p4").failed().get("p4"))
        .isEqualTo(
            "no card is empty for 24 units of baidu.com/vcuda-memory, which take a card alone"
                + " (largest free: 28)");
  }

  @Test
  void p10EqualRefusalsOfManyNodesHaveOneText() {
    var names = new String[1000];
    for (int node = 0; node < names.length; node++) {
      names[node] = "node-" + node;
      scheduler.picture.put(Nodes.sharing(names[node], 16));
      if (node % 2 == 0) {
        var holder = Pods.waiting("holder-" + node, 10 + node % 3);
        scheduler.picture.put(Pods.bound(holder, names[node], names[node] + "-0"));
      } else {
        scheduler.picture.put(
            Pods.bound(Pods.waiting("holder-" + node, 12), names[node], names[node] + "-0"));
      }
    }
    var answer = scheduler.filter(Pods.waiting("a", 8), names);
    assertThat(answer.failed()).hasSize(1000);
    assertThat(answer.failed().values())
        .containsOnly(
            "no single card has 8 units of baidu.com/vcuda-memory free (largest free: 6)");
  }

  @Test
  void nodesThatCannotServeSayWhatToDo() {
    scheduler.picture.put(Nodes.sharing("stopping", PluginState.STOPPING, List.of(), 16));
    scheduler.picture.put(Nodes.sharing("empty"));
    scheduler.picture.put(Nodes.node("whole", GpuNodeStatus.EMPTY));
    var answer = scheduler.filter(Pods.waiting("a", 8), "stopping", "empty", "whole", "unheard-of");
    assertThat(answer.passed()).isEmpty();
    assertThat(answer.lasting())
        .containsEntry("stopping", "the device plugin of the node does not serve: see its GpuNode")
        .containsEntry("empty", "no card has been found on the node: see its GpuNode")
        .containsEntry(
            "whole", "the node does not share its cards: set allocation: Shared on its GpuNode")
        .containsEntry(
            "unheard-of",
            "the node has no GpuNode: make one with allocation: Shared to share its cards");
  }

  @Test
  void aNodeOfAnotherResourceOrOfALostProfileIsRefused() {
    scheduler.picture.put(Nodes.sharing("n", 16));
    var other = Pods.read(Pods.json("a", 8, 0).replace(Pods.RESOURCE, "example.com/other-memory"));
    assertThat(scheduler.picture.node("n").view().judge(other.demands().get(Pods.RESOURCE)))
        .isEqualTo(Verdict.OTHER_RESOURCE);
    scheduler.picture.put(Nodes.by(null, Nodes.sharing("n", 16)));
    assertThat(scheduler.filter(Pods.waiting("b", 8), "n").lasting().get("n"))
        .contains("the node has no GpuShareProfile that it can share by");
  }

  @Test
  void p4CardsThatComeAndGoCountAtOnce() {
    scheduler.picture.put(Nodes.sharing("n", 16));
    assertThat(scheduler.filter(Pods.waiting("a", 20), "n").passed()).isEmpty();
    scheduler.picture.put(Nodes.sharing("n", 16, 32));
    assertThat(scheduler.filter(Pods.waiting("a", 20), "n").passed()).containsExactly("n");
    scheduler.picture.removeGpuNode("n");
    assertThat(scheduler.filter(Pods.waiting("a", 20), "n").passed()).isEmpty();
  }

  @Test
  void aPodThatAsksForNothingPassesEverywhere() {
    scheduler.picture.put(Nodes.sharing("n", 16));
    assertThat(scheduler.filter(Pods.waiting("a", 0), "n", "unheard-of").passed())
        .containsExactlyInAnyOrder("n", "unheard-of");
  }

  @Test
  void scoresFollowThePlacement() {
    for (var placement : Placement.values()) {
      var one = new Scheduler();
      var rules = Nodes.rules(placement, null);
      one.picture.put(Nodes.by(rules, Nodes.sharing("used", 16)));
      one.picture.put(Nodes.by(rules, Nodes.sharing("fresh", 16)));
      one.place(Pods.waiting("a", 8), "used");
      var scores =
          Scheduler.call(
              new Prioritize(one.picture),
              """
              {"Pod":%s,"NodeNames":["used","fresh"]}"""
                  .formatted(Pods.json("b", 4, 0)));
      int used = scores.get(0).get("Score").intValue();
      int fresh = scores.get(1).get("Score").intValue();
      assertThat(List.of(used, fresh)).allMatch(score -> score >= 0 && score <= 10);
      assertThat(used > fresh)
          .as("%s %s", placement, scores)
          .isEqualTo(placement == Placement.BINPACK);
    }
  }
}
