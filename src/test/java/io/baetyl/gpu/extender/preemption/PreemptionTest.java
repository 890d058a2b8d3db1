package io.baetyl.gpu.extender.preemption;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.extender.Scheduler;
import io.baetyl.gpu.extender.apiserver.FakePodApi.Fault;
import io.baetyl.gpu.extender.picture.Nodes;
import io.baetyl.gpu.extender.pods.Pods;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PreemptionTest {
  private final Scheduler scheduler = new Scheduler();
  private final Preemption preemption = new Preemption(scheduler.picture);

  PreemptionTest() {
    scheduler.picture.put(Nodes.sharing("n", 64, 64));
  }

  @Test
  void victimsAreOnOneCard() {
    // UR-A14: two cards of 64 with two pods of 32 each.
    hold("a", 32, 0, 0);
    hold("b", 32, 1, 0);
    hold("c", 32, 0, 0);
    hold("d", 32, 1, 0);
    var victims = victims(48, 100, "uid-a", "uid-b").orElseThrow();
    assertThat(Set.copyOf(victims)).isIn(Set.of("uid-a", "uid-c"), Set.of("uid-b", "uid-d"));
  }

  @Test
  void theLowestPriorityGoesFirstThenTheFewest() {
    hold("a", 60, 0, 7);
    hold("b", 30, 1, 3);
    hold("c", 30, 1, 3);
    assertThat(victims(30, 100).orElseThrow()).hasSize(1).containsAnyOf("uid-b", "uid-c");
    assertThat(victims(40, 100).orElseThrow()).containsExactlyInAnyOrder("uid-b", "uid-c");
  }

  @Test
  void aSingleLargeVictimIsBetterThanTwoSmall() {
    hold("small1", 4, 0, 0);
    hold("small2", 6, 0, 0);
    hold("large", 40, 0, 0);
    hold("other", 50, 1, 9);
    assertThat(victims(50, 5).orElseThrow()).containsExactly("uid-large");
  }

  @Test
  void nobodyOfEqualOrHigherPriorityIsEnded() {
    hold("a", 60, 0, 5);
    hold("b", 60, 1, 6);
    assertThat(victims(30, 5)).isEmpty();
  }

  @Test
  void whereNoCardCouldTakeItNobodyIsEnded() {
    hold("a", 30, 0, 0);
    assertThat(victims(65, 100)).isEmpty();
  }

  @Test
  void victimsForSomethingElseAreKept() {
    hold("a", 60, 0, 0);
    hold("b", 60, 1, 9);
    assertThat(victims(30, 5, "uid-cpu-hog").orElseThrow())
        .containsExactlyInAnyOrder("uid-cpu-hog", "uid-a");
  }

  @Test
  void whereACardHasRoomTheSchedulersOwnChoiceStands() {
    hold("a", 8, 0, 0);
    hold("b", 8, 1, 0);
    assertThat(victims(30, 5, "uid-a", "uid-cpu-hog")).contains(List.of("uid-a", "uid-cpu-hog"));
    assertThat(victims(30, 5)).as("nobody is to be ended").isEmpty();
  }

  @Test
  void ofEqualsThoseAreEndedThatTheSchedulerProposes() {
    hold("a", 60, 0, 0);
    hold("b", 60, 1, 0);
    assertThat(victims(30, 5, "uid-b")).contains(List.of("uid-b"));
    hold("c", 4, 1, 0);
    assertThat(victims(60, 5, "uid-b", "uid-c").orElseThrow())
        .as("rather two proposed ones than another")
        .containsExactlyInAnyOrder("uid-b", "uid-c");
  }

  @Test
  void onACardThoseAreSparedThatTheSchedulerSpared() {
    hold("a", 30, 0, 0);
    hold("b", 30, 0, 0);
    hold("c", 60, 1, 9);
    assertThat(victims(30, 5, "uid-a")).contains(List.of("uid-a"));
    assertThat(victims(30, 5, "uid-b")).contains(List.of("uid-b"));
  }

  @Test
  void aCardThatIsAboutToBeFreeCostsNobody() {
    var leaving = Pods.ending(Pods.bound(Pods.waiting("leaving", 60, 0), "n", "n-0"));
    scheduler.picture.put(leaving);
    hold("b", 60, 1, 0);
    assertThat(victims(30, 5)).isEmpty();
    assertThat(victims(30, 5, "uid-cpu-hog")).contains(List.of("uid-cpu-hog"));
  }

  @Test
  void aPodThatHasCardsKeptForItNeedsNobodys() {
    hold("low", 60, 0, 0);
    hold("high", 24, 1, 9);
    var pod = scheduler.create(Pods.waiting("preemptor", 40, 5));
    scheduler.api.failNext(Fault.LOST, Fault.LOST, Fault.LOST);
    scheduler.bind(pod, "n");
    assertThat(preemption.victims(pod, "n", List.of("uid-low"))).isEmpty();
  }

  @Test
  void anExclusivePodNeedsItsCardEmptied() {
    hold("a", 1, 0, 0);
    hold("b", 60, 1, 0);
    assertThat(victims(52, 5).orElseThrow()).containsExactly("uid-a");
  }

  @Test
  void theAnswerHasTheFormOfTheScheduler() {
    hold("a", 60, 0, 0);
    hold("b", 60, 1, 9);
    var answer =
        Scheduler.call(
            new Preempt(scheduler.picture),
            """
            {"Pod":%s,"NodeNameToVictims":null,"NodeNameToMetaVictims":{
              "n":{"Pods":[{"UID":"uid-b"}],"NumPDBViolations":2},
              "elsewhere":{"Pods":[{"UID":"uid-z"}],"NumPDBViolations":0}}}\
            """
                .formatted(Pods.json("p", 30, 5)));
    assertThat(answer.toString())
        .isEqualTo(
            "{\"NodeNameToMetaVictims\":{\"n\":{\"Pods\":[{\"UID\":\"uid-a\"}],"
                + "\"NumPDBViolations\":2}}}");
  }

  private void hold(String name, int units, int card, int priority) {
    scheduler.picture.put(Pods.bound(Pods.waiting(name, units, priority), "n", "n-" + card));
  }

  private Optional<List<String>> victims(int units, int priority, String... proposed) {
    return preemption.victims(Pods.waiting("preemptor", units, priority), "n", List.of(proposed));
  }
}
