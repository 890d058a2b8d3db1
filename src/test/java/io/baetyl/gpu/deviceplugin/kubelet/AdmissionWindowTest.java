package io.baetyl.gpu.deviceplugin.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class AdmissionWindowTest {
  private long nanos = Long.MAX_VALUE - 1;
  private final AdmissionWindow window = new AdmissionWindow(() -> nanos);

  @Test
  void whereNothingWasAskedItIsQuiet() {
    assertThat(window.quiet()).isTrue();
  }

  @Test
  void fromTheQuestionForAPreferenceOnItIsNotQuiet() {
    window.callBegins();

    assertThat(window.quiet()).isFalse();
    pass(Duration.ofMinutes(1));
    assertThat(window.quiet()).isFalse();
  }

  @Test
  void afterAPreferenceTheAllocateIsWaitedForAWhile() {
    window.callBegins();
    window.preferred();

    pass(Duration.ofMillis(999));
    assertThat(window.quiet()).isFalse();
    pass(Duration.ofMillis(1));
    assertThat(window.quiet()).as("it does not come").isTrue();
  }

  @Test
  void afterTheAllocateTheKubeletHasAMomentToBookIt() {
    window.callBegins();
    window.preferred();
    window.callBegins();
    window.allocateEnds();

    pass(Duration.ofMillis(24));
    assertThat(window.quiet()).isFalse();
    pass(Duration.ofMillis(1));
    assertThat(window.quiet()).isTrue();
  }

  @Test
  void theEndOfAnotherCallDoesNotOpenItBeforeTheAllocate() {
    window.callBegins();
    window.preferred();
    window.callBegins();
    window.preferenceRefused();

    assertThat(window.quiet()).isFalse();

    window.callBegins();
    window.preferred();
    window.callBegins();
    window.allocateEnds();

    pass(Duration.ofMillis(25));
    assertThat(window.quiet()).as("one Allocate is still to come").isFalse();
  }

  @Test
  void afterARefusalNothingFollows() {
    window.callBegins();
    window.preferenceRefused();

    assertThat(window.quiet()).isTrue();
  }

  @Test
  void oneOfTwoCallsThatEndsLeavesTheOther() {
    window.callBegins();
    window.callBegins();
    window.allocateEnds();

    pass(Duration.ofMinutes(1));
    assertThat(window.quiet()).isFalse();
  }

  @Test
  void whoeverWaitsForTheLastCallIsWokenByItsEnd() {
    window.callBegins();
    var waiting =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                window.awaitNoCall(60_000);
                return "woken";
              } catch (InterruptedException interrupted) {
                return "interrupted";
              }
            });

    window.allocateEnds();

    assertThat(waiting).succeedsWithin(Duration.ofSeconds(5)).isEqualTo("woken");
  }

  @Test
  void aCallThatDoesNotEndIsNotWaitedForLongerThanAsked() throws InterruptedException {
    window.callBegins();
    long began = System.nanoTime();

    window.awaitNoCall(50);

    assertThat(Duration.ofNanos(System.nanoTime() - began))
        .isBetween(Duration.ofMillis(50), Duration.ofSeconds(5));
    assertThat(window.quiet()).isFalse();
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
  }
}
