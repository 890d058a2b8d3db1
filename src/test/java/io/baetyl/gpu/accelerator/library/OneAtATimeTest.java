package io.baetyl.gpu.accelerator.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class OneAtATimeTest {
  private final OneAtATime turns = new OneAtATime(Duration.ofMillis(200));

  private CompletableFuture<Integer> call(IntSupplier function) {
    var result = new CompletableFuture<Integer>();
    Thread.ofPlatform()
        .daemon()
        .start(() -> result.completeAsync(() -> turns.call(function), Runnable::run));
    return result;
  }

  private static int hang(CountDownLatch until) {
    try {
      until.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    return 7;
  }

  @Test
  void noTwoAreInsideAtOnce() {
    var inside = new AtomicInteger();
    var most = new AtomicInteger();
    IntSupplier function =
        () -> {
          most.accumulateAndGet(inside.incrementAndGet(), Math::max);
          Thread.yield();
          return inside.decrementAndGet();
        };

    var calls = IntStream.range(0, 200).mapToObj(i -> call(function)).toList();

    calls.forEach(CompletableFuture::join);
    assertThat(most).hasValue(1);
  }

  @Test
  void oneThatHangsHoldsTheOthersUpForAMomentOnly() {
    var release = new CountDownLatch(1);
    var inside = new CountDownLatch(1);
    var hanging =
        call(
            () -> {
              inside.countDown();
              return hang(release);
            });
    hang(inside);

    assertThat(call(() -> 1)).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(1);
    assertThat(call(() -> 2)).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(2);

    assertThat(hanging).isNotDone();
    release.countDown();
    assertThat(hanging).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(7);
    assertThat(call(() -> 3)).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(3);
  }

  @Test
  void aFailureGivesTheTurnOn() {
    var failing =
        call(
            () -> {
              throw new IllegalStateException("unloaded");
            });

    assertThat(failing).failsWithin(Duration.ofSeconds(10));
    assertThat(call(() -> 1)).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(1);
  }
}
