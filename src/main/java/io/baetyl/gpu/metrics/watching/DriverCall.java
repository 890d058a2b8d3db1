package io.baetyl.gpu.metrics.watching;

import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.DriverException.Reason;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A question to the driver that is asked again and again, but never while an earlier one waits for
 * its answer: a driver that hangs holds one thread per question, however long it hangs.
 */
final class DriverCall<T> {
  private static final Logger LOG = LoggerFactory.getLogger(DriverCall.class);

  /** What is asked; may take for ever. */
  interface Question<T> {
    T ask() throws DriverException;
  }

  /** What the driver has said. */
  sealed interface Answer<T> {
    record Told<T>(T value) implements Answer<T> {}

    record Refused<T>(DriverException why) implements Answer<T> {}
  }

  private final Question<T> question;
  private final Executor threads;
  private final Clock clock;
  private final Runnable whenAnswered;
  private final AtomicReference<Instant> askedAt = new AtomicReference<>();
  private final AtomicReference<Answer<T>> answer = new AtomicReference<>();

  /**
   * @param threads give each question a thread at once
   * @param whenAnswered is run when there is an answer to take, on the driver's thread
   */
  DriverCall(Question<T> question, Executor threads, Clock clock, Runnable whenAnswered) {
    this.question = question;
    this.threads = threads;
    this.clock = clock;
    this.whenAnswered = whenAnswered;
  }

  /** Asks, unless an earlier question waits for its answer. */
  void ask() {
    if (askedAt.compareAndSet(null, clock.instant())) {
      threads.execute(this::run);
    }
  }

  private void run() {
    try {
      answer.set(answer());
    } finally {
      askedAt.set(null);
    }
    whenAnswered.run();
  }

  private Answer<T> answer() {
    try {
      return new Answer.Told<>(question.ask());
    } catch (DriverException why) {
      return new Answer.Refused<>(why);
    } catch (RuntimeException | Error unforeseen) {
      // An Error as well: a library that does not fit shows itself by one at its first call.
      LOG.error("Cannot ask the driver", unforeseen);
      return new Answer.Refused<>(
          new DriverException(
              Reason.DRIVER_FAILED, "The agent cannot ask the driver; see its log"));
    }
  }

  /** The latest answer, once. */
  Optional<Answer<T>> take() {
    return Optional.ofNullable(answer.getAndSet(null));
  }

  /** Since when an answer is awaited. */
  Optional<Instant> waitingSince() {
    return Optional.ofNullable(askedAt.get());
  }
}
