package io.baetyl.gpu.extender.waking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.Placement;
import io.baetyl.gpu.extender.Scheduler;
import io.baetyl.gpu.extender.apiserver.FakePodApi.Fault;
import io.baetyl.gpu.extender.apiserver.PodApi.Outcome;
import io.baetyl.gpu.extender.binding.BindingWrite;
import io.baetyl.gpu.extender.picture.Node;
import io.baetyl.gpu.extender.picture.Nodes;
import io.baetyl.gpu.extender.pods.PodName;
import io.baetyl.gpu.extender.pods.Pods;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WakerTest {
  private final Scheduler scheduler = new Scheduler();
  private final Waker waker =
      new Waker(
          scheduler.picture, scheduler.waiting, scheduler.api, scheduler.clock, scheduler.counters);

  WakerTest() {
    scheduler.picture.put(Nodes.sharing("n", 16));
    scheduler.picture.put(Pods.bound(Pods.waiting("holder", 10), "n", "n-0"));
  }

  @AfterEach
  void stop() {
    waker.close();
  }

  @Test
  void aPodIsWokenWhenRoomHasComeForIt() {
    refuse("a", 8, 0);
    free("holder");
    await()
        .atMost(Duration.ofSeconds(1))
        .untilAsserted(() -> assertThat(woken()).containsExactly("a"));
  }

  @Test
  void aPodThatStillDoesNotFitIsLeftAlone() {
    scheduler.picture.put(Pods.bound(Pods.waiting("other", 4), "n", "n-0"));
    refuse("large", 13, 0);
    refuse("small", 8, 0);
    free("holder");
    await().untilAsserted(() -> assertThat(woken()).containsExactly("small"));
  }

  @Test
  void noMoreAreWokenThanTheRoomTakesThoseOfHigherPriorityFirst() {
    refuse("low", 8, 1);
    refuse("high", 8, 5);
    refuse("middle", 8, 3);
    free("holder");
    await().untilAsserted(() -> assertThat(woken()).containsExactlyInAnyOrder("high", "middle"));
    assertThat(woken()).doesNotContain("low");
  }

  @Test
  void aPodThatMayNotUseTheNodeIsLeftAlone() {
    scheduler.picture.put(Nodes.sharing("m", 16));
    scheduler.picture.put(Pods.bound(Pods.waiting("on-m", 10), "m", "m-0"));
    scheduler.create(Pods.waiting("a", 8));
    scheduler.filter(Pods.waiting("a", 8), "m");
    refuse("b", 8, 0);
    free("holder");
    await().untilAsserted(() -> assertThat(woken()).containsExactly("b"));
  }

  @Test
  void roomPromisedToAPodThatNeverComesServesTheNext() {
    refuse("first", 13, 5);
    refuse("second", 13, 1);
    free("holder");
    await().untilAsserted(() -> assertThat(woken()).containsExactly("first"));
    scheduler.clock.pass(WaitingPods.PROMISE);
    assertThat(scheduler.waiting.hasLapsed(scheduler.clock.instant())).isTrue();
    waker.reconsider();
    await().untilAsserted(() -> assertThat(woken()).containsExactly("first", "second"));
  }

  @Test
  void aPodThatIsBoundOrGoneIsNotWoken() {
    refuse("a", 8, 0);
    scheduler.waiting.settled("uid-a");
    refuse("b", 8, 0);
    free("holder");
    await().untilAsserted(() -> assertThat(woken()).containsExactly("b"));
  }

  @Test
  void aNodeThatServesAgainWakesToo() {
    scheduler.picture.put(
        Nodes.sharing("m", io.baetyl.gpu.api.v1alpha1.PluginState.STOPPING, List.of(), 16));
    scheduler.create(Pods.waiting("a", 8));
    scheduler.filter(Pods.waiting("a", 8), "m");
    scheduler.picture.put(Nodes.sharing("m", 16));
    await().untilAsserted(() -> assertThat(woken()).containsExactly("a"));
  }

  @Test
  void aPodWhoseBindIsNotClearIsWokenOnceThatHasEnded() {
    var pod = scheduler.create(Pods.waiting("a", 6));
    scheduler.api.failNext(Fault.LOST, Fault.LOST, Fault.LOST);
    scheduler.bind(pod, "n");
    scheduler.picture.put(Nodes.sharing("m", 16));
    assertThat(scheduler.filter(pod, "m").passed()).isEmpty();
    refuse("b", 8, 0);
    free("holder");
    await().untilAsserted(() -> assertThat(woken()).containsExactly("b"));
    scheduler.waiting.settled("uid-b");
    scheduler.clock.pass(BindingWrite.WRITES_ARE_OVER.plusSeconds(1));
    scheduler
        .picture
        .reservations()
        .forEach(reserved -> scheduler.bindings.check(reserved, scheduler.clock.instant()));
    await().untilAsserted(() -> assertThat(woken()).containsExactly("b", "a"));
  }

  @Test
  void aWakeThatDidNotGetThroughIsTriedAgainSoon() {
    scheduler.api.failNextWakes(
        new Outcome.Unclear("timeout"), new Outcome.Conflict("too many requests"));
    refuse("a", 8, 0);
    free("holder");
    await()
        .atMost(Duration.ofSeconds(5))
        .untilAsserted(() -> assertThat(woken()).containsExactly("a"));
  }

  @Test
  void aWakeThatIsForbiddenKeepsRoomFromNobody() {
    scheduler.api.failNextWakes(new Outcome.Refused("patch is forbidden"));
    refuse("first", 13, 5);
    refuse("second", 13, 1);
    free("holder");
    await().untilAsserted(() -> assertThat(woken()).containsExactly("second"));
  }

  @Test
  void changedRulesWakeThosePodsThatTheyLetIn() {
    // 13 of 16 units are more than 80 %, so the pod wants a card alone.
    scheduler.picture.put(Nodes.sharing("m", 16));
    scheduler.picture.put(Pods.bound(Pods.waiting("small", 2), "m", "m-0"));
    scheduler.create(Pods.waiting("a", 13));
    assertThat(scheduler.filter(Pods.waiting("a", 13), "m").passed()).isEmpty();
    scheduler.picture.put(Nodes.by(Nodes.rules(Placement.BINPACK, 101), Nodes.sharing("m", 16)));
    await().untilAsserted(() -> assertThat(woken()).containsExactly("a"));
  }

  private void refuse(String name, int units, int priority) {
    var pod = scheduler.create(Pods.waiting(name, units, priority));
    assertThat(scheduler.filter(pod, "n").passed()).isEmpty();
  }

  private void free(String pod) {
    scheduler.picture.remove("uid-" + pod);
    scheduler.clock.pass(Node.UNLISTED_PODS_LINGER);
    scheduler.picture.expire(scheduler.clock.instant());
  }

  private List<String> woken() {
    return scheduler.api.woken().stream().map(PodName::name).toList();
  }
}
