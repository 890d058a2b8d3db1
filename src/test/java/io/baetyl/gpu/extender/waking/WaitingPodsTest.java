package io.baetyl.gpu.extender.waking;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.extender.TestClock;
import io.baetyl.gpu.extender.picture.Node;
import io.baetyl.gpu.extender.picture.Nodes;
import io.baetyl.gpu.extender.pods.Pods;
import io.baetyl.gpu.extender.waking.WaitingPods.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

class WaitingPodsTest {
  private final TestClock clock = new TestClock();
  private final WaitingPods waiting = new WaitingPods(clock);
  private final Node node = Nodes.unknown("n");
  private final Instant began = clock.instant();

  @Test
  void aPodThatNeverAnswersIsWokenEverMoreRarely() {
    waiting.refused(Pods.waiting("a", 8), null);
    assertThat(secondsOfWakes(1_300))
        .containsExactly(0L, 12L, 36L, 84L, 180L, 372L, 672L, 972L, 1272L);
  }

  @Test
  void aPodThatAnswersIsWokenAtOnceTheNextTime() {
    waiting.refused(Pods.waiting("a", 8), null);
    secondsOfWakes(100);
    waiting.refused(Pods.waiting("a", 8), null);
    assertThat(pod().isDue(clock.instant())).isTrue();
  }

  @Test
  void roomIsKeptForAPodForAMomentOnly() {
    waiting.refused(Pods.waiting("a", 8), null);
    waiting.promise(pod(), node);
    clock.pass(WaitingPods.PROMISE.minusMillis(1));
    assertThat(pod().hasPromise(clock.instant())).isTrue();
    assertThat(waiting.hasLapsed(clock.instant())).isFalse();
    clock.pass(Duration.ofMillis(1));
    assertThat(pod().hasPromise(clock.instant())).isFalse();
    assertThat(waiting.hasLapsed(clock.instant())).isTrue();
    waiting.lapse(clock.instant());
    assertThat(waiting.hasLapsed(clock.instant())).as("once").isFalse();
  }

  @Test
  void aPauseThatIsOverLapsesOnce() {
    waiting.refused(Pods.waiting("a", 8), null);
    secondsOfWakes(13);
    clock.pass(WaitingPods.PROMISE);
    waiting.lapse(clock.instant());
    assertThat(pod().isDue(clock.instant())).isFalse();
    clock.pass(WaitingPods.PROMISE);
    assertThat(waiting.hasLapsed(clock.instant())).isTrue();
    waiting.lapse(clock.instant());
    assertThat(waiting.hasLapsed(clock.instant())).isFalse();
    assertThat(pod().isDue(clock.instant())).isTrue();
  }

  private Iterable<Long> secondsOfWakes(int seconds) {
    var wakes = new ArrayList<Long>();
    for (int second = 0; second < seconds; second++) {
      if (pod().isDue(clock.instant())) {
        wakes.add(Duration.between(began, clock.instant()).toSeconds());
        waiting.promise(pod(), node);
      }
      clock.pass(Duration.ofSeconds(1));
      waiting.lapse(clock.instant());
    }
    return wakes;
  }

  private Waiting pod() {
    return waiting.inOrder().getFirst();
  }
}
