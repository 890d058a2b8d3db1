package io.baetyl.gpu.metrics.watching;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.DriverException.Reason;
import io.baetyl.gpu.metrics.watching.DriverCall.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DriverCallTest {
  private final HandClock clock = new HandClock();

  /** Questions on their way; whoever runs one is the driver's thread. */
  private final List<Runnable> asked = new ArrayList<>();

  private int answers;

  private <T> DriverCall<T> call(DriverCall.Question<T> question) {
    return new DriverCall<>(question, asked::add, clock, () -> answers++);
  }

  @Test
  void anAnswerIsTakenOnce() {
    var call = call(() -> "two cards");
    call.ask();

    asked.removeFirst().run();

    assertThat(answers).isEqualTo(1);
    assertThat(call.take()).contains(new Answer.Told<>("two cards"));
    assertThat(call.take()).isEmpty();
    assertThat(call.waitingSince()).isEmpty();
  }

  @Test
  void nothingIsAskedWhileAnAnswerIsAwaited() {
    var call = call(() -> "two cards");
    var first = clock.instant();
    call.ask();
    clock.pass(Duration.ofSeconds(2));

    call.ask();

    assertThat(asked).hasSize(1);
    assertThat(call.waitingSince()).contains(first);
  }

  @Test
  void whatTheDriverRefusesIsHandedOn() {
    var lost = new DriverException(Reason.DEVICE_LOST, "the card is off the bus");
    var call =
        call(
            () -> {
              throw lost;
            });
    call.ask();

    asked.removeFirst().run();

    assertThat(call.take()).contains(new Answer.Refused<>(lost));
  }

  static Stream<Throwable> unforeseen() {
    return Stream.of(
        new IllegalStateException("no such symbol"),
        new UnsatisfiedLinkError("libnvidia-ml.so.1"),
        new ExceptionInInitializerError("the layout does not fit"));
  }

  @ParameterizedTest
  @MethodSource("unforeseen")
  void whatIsUnforeseenIsAnAnswerTooAndDoesNotEndTheAsking(Throwable trouble) {
    var call =
        call(
            () -> {
              if (trouble instanceof Error error) {
                throw error;
              }
              throw (RuntimeException) trouble;
            });
    call.ask();

    asked.removeFirst().run();

    assertThat(answers).isEqualTo(1);
    assertThat(call.take())
        .hasValueSatisfying(
            answer -> {
              assertThat(answer).isInstanceOf(Answer.Refused.class);
              var why = ((Answer.Refused<?>) answer).why();
              assertThat(why.reason()).isEqualTo(Reason.DRIVER_FAILED);
              assertThat(why).hasMessageContaining("see its log");
            });
    call.ask();
    assertThat(asked).as("asked again").hasSize(1);
  }
}
