package io.baetyl.gpu.extender.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.baetyl.gpu.api.v1alpha1.PluginState;
import io.baetyl.gpu.extender.Scheduler;
import io.baetyl.gpu.extender.apiserver.FakePodApi.Fault;
import io.baetyl.gpu.extender.counting.Counters.Counter;
import io.baetyl.gpu.extender.picture.Nodes;
import io.baetyl.gpu.extender.pods.PodFacts;
import io.baetyl.gpu.extender.pods.Pods;
import io.baetyl.gpu.extender.wire.Verb;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** UR-C05, UR-A01, P7, P8: one decision, one write, and the truth where the answer is lost. */
class PodBindingTest {
  private final Scheduler scheduler = new Scheduler();
  private final PodFacts pod = Pods.waiting("a", 10);

  PodBindingTest() {
    scheduler.picture.put(Nodes.sharing("n", 16));
    scheduler.picture.put(Nodes.sharing("m", 16));
  }

  @Test
  void theDecisionIsWrittenWithTheBinding() {
    scheduler.create(pod);
    assertThat(scheduler.bind(pod, "n")).isEmpty();
    assertThat(scheduler.api.pod(pod.uid()).decision().orElseThrow().format())
        .isEqualTo("uid-a:main=n-0");
    assertThat(free("n")).as("before the watch shows it").isEqualTo(6);
    scheduler.watch();
    assertThat(free("n")).isEqualTo(6);
    assertThat(scheduler.picture.reservations()).isEmpty();
  }

  @Test
  void aSecondCallForTheSameNodeIsASuccessAndHoldsNothingMore() {
    scheduler.create(pod);
    assertThat(scheduler.bind(pod, "n")).isEmpty();
    assertThat(scheduler.bind(pod, "n")).isEmpty();
    scheduler.watch();
    assertThat(scheduler.bind(pod, "n")).isEmpty();
    assertThat(scheduler.api.writes()).isEqualTo(1);
    assertThat(free("n")).isEqualTo(6);
  }

  @Test
  void aSecondCallForAnotherNodeFails() {
    scheduler.create(pod);
    scheduler.bind(pod, "n");
    assertThat(scheduler.bind(pod, "m")).hasValueSatisfying(why -> assertThat(why).contains("n"));
    scheduler.watch();
    assertThat(scheduler.bind(pod, "m")).hasValueSatisfying(why -> assertThat(why).contains("n"));
    assertThat(free("m")).isEqualTo(16);
  }

  @Test
  void conflictsAreTriedAgain() {
    scheduler.create(pod);
    scheduler.api.failNext(Fault.CONFLICT, Fault.CONFLICT);
    assertThat(scheduler.bind(pod, "n")).isEmpty();
    assertThat(free("n")).isEqualTo(6);
  }

  @Test
  void anErrorGivesTheCardsBackAndSaysWhy() {
    scheduler.create(pod);
    scheduler.api.failNext(Fault.FORBIDDEN);
    assertThat(scheduler.bind(pod, "n")).contains("pods/binding is forbidden");
    assertThat(free("n")).isEqualTo(16);
    assertThat(scheduler.bind(pod, "m")).isEmpty();
  }

  @Test
  void anAnswerThatIsLostIsLookedUp() {
    scheduler.create(pod);
    scheduler.api.failNext(Fault.ANSWER_LOST);
    assertThat(scheduler.bind(pod, "n")).isEmpty();
    assertThat(free("n")).isEqualTo(6);
  }

  @Test
  void aWriteThatMayStillLandKeepsTheCardsUntilItCannot() {
    scheduler.create(pod);
    scheduler.api.failNext(Fault.LOST, Fault.LOST, Fault.LOST);
    assertThat(scheduler.bind(pod, "n"))
        .hasValueSatisfying(why -> assertThat(why).contains("not clear"));
    assertThat(free("n")).isEqualTo(6);
    scheduler.clock.pass(BindingWrite.WRITES_ARE_OVER.minusSeconds(1));
    upkeep();
    assertThat(free("n")).as("the API server may still be at it").isEqualTo(6);
    scheduler.clock.pass(Duration.ofSeconds(2));
    scheduler.api.blind(true);
    upkeep();
    assertThat(free("n")).as("nobody can say").isEqualTo(6);
    scheduler.api.blind(false);
    scheduler.clock.pass(BindingWrite.BETWEEN_LOOKS);
    upkeep();
    assertThat(free("n")).isEqualTo(16);
  }

  @Test
  void aWriteThatMayStillLandIsTriedAgainWithTheSameCard() {
    scheduler.create(pod);
    scheduler.api.failNext(Fault.LOST, Fault.LOST, Fault.LOST);
    scheduler.bind(pod, "n");
    assertThat(scheduler.bind(pod, "n")).isEmpty();
    assertThat(free("n")).isEqualTo(6);
  }

  @Test
  void aWriteThatWasTriedAgainKeepsTheCardsUntilThatCannotLandEither() {
    notClear(pod);
    scheduler.clock.pass(Duration.ofSeconds(60));
    scheduler.api.failNext(Fault.LOST, Fault.LOST, Fault.LOST);
    scheduler.bind(pod, "n");
    scheduler.clock.pass(BindingWrite.WRITES_ARE_OVER.minusSeconds(1));
    upkeep();
    assertThat(free("n")).isEqualTo(6);
    scheduler.clock.pass(BindingWrite.BETWEEN_LOOKS);
    upkeep();
    assertThat(free("n")).isEqualTo(16);
  }

  @Test
  void aSilentApiServerDoesNotMakeTheSchedulerHangUp() {
    scheduler.create(pod);
    scheduler.api.silence();
    var began = scheduler.clock.instant();
    assertThat(scheduler.bind(pod, "n"))
        .hasValueSatisfying(why -> assertThat(why).contains("not clear"));
    assertThat(scheduler.bind(Pods.waiting("unseen", 4), "n")).isPresent();
    assertThat(Duration.between(began, scheduler.clock.instant()))
        .isLessThanOrEqualTo(Verb.LONGEST_CALL.multipliedBy(2));
    assertThat(free("n")).as("it may land").isEqualTo(6);
  }

  @Test
  void aCallDoesNotWaitForAnEarlierOneForEver() {
    notClear(pod);
    var gate = new CountDownLatch(1);
    scheduler.api.gate(gate);
    var earlier = Thread.ofVirtual().start(() -> scheduler.bind(pod, "n"));
    var reservation = scheduler.picture.reservation(pod.uid());
    org.awaitility.Awaitility.await().until(() -> reservation.writing().isLocked());
    assertThat(scheduler.bindings.write(reservation, scheduler.clock.instant().plusMillis(1)))
        .contains("an earlier call is still binding the pod");
    gate.countDown();
    org.awaitility.Awaitility.await().until(() -> !earlier.isAlive());
    assertThat(free("n")).isEqualTo(6);
  }

  @Test
  void aPodWhoseBindIsNotClearIsFilteredThroughToItsCardsAlone() {
    notClear(pod);
    var filtered = scheduler.filter(pod, "n", "m");
    assertThat(filtered.passed()).containsExactly("n");
    assertThat(filtered.lasting())
        .containsOnly(entry("m", "an earlier call is still binding the pod to another node"));
    assertThat(scheduler.filter(pod, "m").passed()).isEmpty();
  }

  @Test
  void aPodWhoseBindIsNotClearIsNotSentWhereNothingServes() {
    notClear(pod);
    scheduler.picture.put(Nodes.sharing("n", PluginState.STOPPING, List.of(), 16));
    assertThat(scheduler.filter(pod, "n").passed()).isEmpty();
  }

  private void notClear(PodFacts waiting) {
    scheduler.create(waiting);
    scheduler.api.failNext(Fault.LOST, Fault.LOST, Fault.LOST);
    assertThat(scheduler.bind(waiting, "n")).isPresent();
  }

  @Test
  void aPodDeletedOnTheWayHoldsNothing() {
    scheduler.create(pod);
    scheduler.api.delete(pod.uid());
    assertThat(scheduler.bind(pod, "n")).contains("the pod is gone");
    assertThat(free("n")).isEqualTo(16);
  }

  @Test
  void aPodThatTheWatchHasNotShownIsLookedUp() {
    scheduler.api.add(pod);
    assertThat(scheduler.bind(pod, "n")).isEmpty();
    assertThat(free("n")).isEqualTo(6);
    scheduler.api.delete(pod.uid());
    scheduler.clock.pass(BindingWrite.WATCH_IS_LATE);
    upkeep();
    assertThat(free("n")).as("deleted before the watch began to show it").isEqualTo(16);
  }

  @Test
  void p7APodThatWasFilteredAndNeverBoundHoldsNothing() {
    scheduler.create(pod);
    assertThat(scheduler.filter(pod, "n").passed()).containsExactly("n");
    assertThat(free("n")).isEqualTo(16);
    assertThat(scheduler.filter(pod, "n").passed()).containsExactly("n");
  }

  @Test
  void p8BindLooksAgainAtWhatFilterSaw() {
    scheduler.create(pod);
    var other = scheduler.create(Pods.waiting("b", 10));
    assertThat(scheduler.filter(pod, "n").passed()).containsExactly("n");
    assertThat(scheduler.filter(other, "n").passed()).containsExactly("n");
    assertThat(scheduler.bind(pod, "n")).isEmpty();
    assertThat(scheduler.bind(other, "n"))
        .contains("no single card has 10 units of baidu.com/vcuda-memory free (largest free: 6)");
    assertThat(scheduler.counters.of(Counter.LOST_RACES)).isEqualTo(1);
  }

  @Test
  void aNodeUnderASlowWriteServesOthers() throws Exception {
    scheduler.create(pod);
    var other = scheduler.create(Pods.waiting("b", 6));
    var gate = new CountDownLatch(1);
    scheduler.api.gate(gate);
    try (var calls = Executors.newVirtualThreadPerTaskExecutor()) {
      var slow = calls.submit(() -> scheduler.bind(pod, "n"));
      org.awaitility.Awaitility.await().until(() -> free("n") == 6);
      scheduler.api.gate(new CountDownLatch(0));
      assertThat(scheduler.bind(other, "n")).isEmpty();
      gate.countDown();
      assertThat(slow.get()).isEmpty();
    }
    assertThat(free("n")).isZero();
  }

  @RepeatedTest(20)
  void urA01TwentyAtOnceOnTwoCardsAreTwo() throws Exception {
    scheduler.picture.put(Nodes.sharing("two", 64, 64));
    var pods = new ArrayList<PodFacts>();
    for (int number = 0; number < 20; number++) {
      pods.add(scheduler.create(Pods.waiting("p" + number, 40)));
    }
    var errors = new ArrayList<Optional<String>>();
    try (var calls = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Optional<String>>> binds = new ArrayList<>();
      for (var each : pods) {
        binds.add(
            () -> {
              scheduler.filter(each, "two");
              return scheduler.bind(each, "two");
            });
      }
      for (var bind : calls.invokeAll(binds)) {
        errors.add(bind.get());
      }
    }
    assertThat(errors.stream().filter(Optional::isEmpty)).hasSize(2);
    var cards = new HashMap<String, Integer>();
    scheduler.api.bound().forEach(bound -> cards.merge(scheduler.card(bound), 1, Integer::sum));
    assertThat(cards).hasSize(2).containsValue(1);
    scheduler.watch();
    assertThat(free("two")).isEqualTo(24);
  }

  private int free(String node) {
    return scheduler.picture.node(node).view().cards().largestFree();
  }

  private void upkeep() {
    scheduler
        .picture
        .reservations()
        .forEach(reservation -> scheduler.bindings.check(reservation, scheduler.clock.instant()));
  }
}
