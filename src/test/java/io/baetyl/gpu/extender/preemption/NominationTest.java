package io.baetyl.gpu.extender.preemption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.extender.Scheduler;
import io.baetyl.gpu.extender.picture.Node;
import io.baetyl.gpu.extender.picture.Nodes;
import io.baetyl.gpu.extender.pods.PodFacts;
import io.baetyl.gpu.extender.pods.Pods;
import io.baetyl.gpu.extender.waking.Waker;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Room that kube-scheduler makes for a pod, by ending others, is for that pod. */
class NominationTest {
  private final Scheduler scheduler = new Scheduler();

  NominationTest() {
    scheduler.picture.put(Nodes.sharing("n", 16));
  }

  @Test
  void roomIsLeftForANominatedPodByThoseOfEqualOrLowerPriority() {
    nominate("preemptor", 12, 5);
    assertThat(passes(Pods.waiting("lower", 8, 4))).isFalse();
    assertThat(passes(Pods.waiting("equal", 8, 5))).isFalse();
    assertThat(passes(Pods.waiting("higher", 8, 6))).isTrue();
    assertThat(passes(Pods.waiting("small", 4, 0))).as("beside it").isTrue();
  }

  @Test
  void itIsLeftWhileThoseThatLeaveAreStillThere() {
    var victim = Pods.bound(Pods.waiting("victim", 10), "n", "n-0");
    scheduler.picture.put(Pods.ending(victim));
    var preemptor = nominate("preemptor", 12, 5);
    assertThat(passes(Pods.waiting("small", 4))).isFalse();
    scheduler.picture.remove(victim.uid());
    scheduler.clock.pass(Node.UNLISTED_PODS_LINGER);
    scheduler.picture.expire(scheduler.clock.instant());
    assertThat(passes(Pods.waiting("large", 8))).isFalse();
    assertThat(passes(preemptor)).isTrue();
  }

  @Test
  void bindLeavesItToo() {
    var preemptor = nominate("preemptor", 12, 5);
    var other = scheduler.create(Pods.waiting("other", 8));
    assertThat(scheduler.bind(other, "n"))
        .contains("no single card has 8 units of baidu.com/vcuda-memory free (largest free: 4)");
    assertThat(scheduler.bind(preemptor, "n")).isEmpty();
    assertThat(passes(Pods.waiting("small", 4))).as("counted once").isTrue();
    scheduler.watch();
    assertThat(passes(Pods.waiting("small", 4))).as("counted once").isTrue();
  }

  @Test
  void ofTwoEqualsOnOneNodeOnePasses() {
    var one = nominate("one", 12, 5);
    var two = nominate("two", 12, 5);
    assertThat(List.of(passes(one), passes(two))).containsExactly(true, false);
  }

  @Test
  void aNominationThatIsTakenBackWakesWhoWaitedForIt() {
    var preemptor = nominate("preemptor", 12, 5);
    try (var waker =
        new Waker(
            scheduler.picture,
            scheduler.waiting,
            scheduler.api,
            scheduler.clock,
            scheduler.counters)) {
      assertThat(passes(scheduler.create(Pods.waiting("other", 8)))).isFalse();
      waker.reconsider();
      scheduler.picture.put(Pods.nominated(preemptor, null));
      await()
          .atMost(Duration.ofSeconds(5))
          .untilAsserted(() -> assertThat(scheduler.api.woken()).hasSize(1));
    }
  }

  @Test
  void nobodyIsEndedForRoomThatAnotherIsToHave() {
    scheduler.picture.put(Nodes.sharing("n", 16, 16));
    scheduler.picture.put(Pods.bound(Pods.waiting("other", 10), "n", "n-1"));
    nominate("one", 12, 5);
    var two = scheduler.create(Pods.waiting("two", 12, 5));
    assertThat(passes(two)).isFalse();
    assertThat(new Preemption(scheduler.picture).victims(two, "n", List.of("uid-other")))
        .contains(List.of("uid-other"));
  }

  @Test
  void aNominatedPodThatGoesLeavesNothingBehind() {
    var preemptor = nominate("preemptor", 12, 5);
    scheduler.picture.put(Pods.ending(preemptor));
    assertThat(passes(Pods.waiting("other", 8))).isTrue();
    nominate("preemptor", 12, 5);
    scheduler.picture.remove(preemptor.uid());
    assertThat(passes(Pods.waiting("other", 8))).isTrue();
    scheduler.picture.removeGpuNode("n");
    assertThat(scheduler.picture.nodes()).isEmpty();
  }

  private PodFacts nominate(String name, int units, int priority) {
    return scheduler.create(Pods.nominated(Pods.waiting(name, units, priority), "n"));
  }

  private boolean passes(PodFacts pod) {
    return !scheduler.filter(pod, "n").passed().isEmpty();
  }
}
