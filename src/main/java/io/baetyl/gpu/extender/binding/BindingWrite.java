package io.baetyl.gpu.extender.binding;

import io.baetyl.gpu.extender.apiserver.PodApi;
import io.baetyl.gpu.extender.picture.Picture;
import io.baetyl.gpu.extender.picture.Reservation;
import io.baetyl.gpu.extender.picture.Reservation.State;
import io.baetyl.gpu.extender.pods.PodFacts;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Brings a reservation to its end: bound, or given back. What it does not know it looks up; what it
 * cannot look up it keeps.
 */
public final class BindingWrite {
  /** A write that came to nothing clear is repeated; a second one can do no harm. */
  private static final int TRIES = 3;

  /**
   * The API server gives up on a request after 60 s: what it has not done by then, it never will.
   */
  public static final Duration WRITES_ARE_OVER = Duration.ofSeconds(65);

  /** A binding that the watch has not shown for this long is looked up. */
  public static final Duration WATCH_IS_LATE = Duration.ofSeconds(10);

  /** An API server that does not know, or is away, is not asked again at once. */
  static final Duration BETWEEN_LOOKS = Duration.ofSeconds(5);

  /** Nobody waits for a look of {@link #check}, so it may take what a slow API server needs. */
  private static final Duration PATIENCE_TO_CHECK = Duration.ofSeconds(8);

  private final Picture picture;
  private final PodApi api;
  private final Clock clock;

  public BindingWrite(Picture picture, PodApi api, Clock clock) {
    this.picture = picture;
    this.api = api;
    this.clock = clock;
  }

  /**
   * Writes the binding, unless another call has done so.
   *
   * @param deadline when the caller has to have its answer; what is not clear by then stays so
   * @return empty when the pod is bound, else why not
   */
  Optional<String> write(Reservation reservation, Instant deadline) {
    if (!lock(reservation, deadline)) {
      return Optional.of("an earlier call is still binding the pod");
    }
    try {
      return switch (reservation.state()) {
        case BOUND -> Optional.empty();
        case GIVEN_BACK -> Optional.of("an earlier call could not bind the pod");
        case WRITING, UNCLEAR -> tryToWrite(reservation, deadline);
      };
    } finally {
      reservation.writing().unlock();
    }
  }

  private boolean lock(Reservation reservation, Instant deadline) {
    try {
      return reservation.writing().tryLock(left(deadline).toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private Duration left(Instant deadline) {
    return Duration.between(clock.instant(), deadline);
  }

  private Optional<String> tryToWrite(Reservation reservation, Instant deadline) {
    // A write whose fate is unknown may land at any time until the API server has forgotten it.
    boolean mayLand = reservation.state() == State.UNCLEAR;
    var reason = "there was no time left";
    for (int attempt = 0; attempt < TRIES && left(deadline).isPositive(); attempt++) {
      reservation.written(clock.instant());
      switch (api.bind(
          reservation.pod(), reservation.node().name(), reservation.decision(), left(deadline))) {
        case PodApi.Outcome.Done() -> {
          return bound(reservation);
        }
        case PodApi.Outcome.Gone() -> {
          return giveBack(reservation, "the pod is gone");
        }
        case PodApi.Outcome.Refused(String message) -> {
          if (!mayLand) {
            return giveBack(reservation, message);
          }
          reason = message;
        }
        case PodApi.Outcome.Conflict(String message) -> reason = message;
        case PodApi.Outcome.Unclear(String message) -> {
          mayLand = true;
          reason = message;
        }
      }
      if (!left(deadline).isPositive()) {
        break;
      }
      switch (api.look(reservation.pod(), left(deadline))) {
        case PodApi.Look.Gone() -> {
          return giveBack(reservation, "the pod is gone");
        }
        case PodApi.Look.Unclear(String message) -> reason = message;
        case PodApi.Look.Found(PodFacts pod) -> {
          if (pod.node() != null) {
            return pod.node().equals(reservation.node().name())
                ? bound(reservation)
                : giveBack(reservation, "the pod is bound to the node " + pod.node() + " already");
          }
          if (pod.ending()) {
            return giveBack(reservation, "the pod is being deleted");
          }
        }
      }
    }
    if (mayLand) {
      reservation.becomes(State.UNCLEAR);
      return Optional.of("it is not clear whether the pod was bound: " + reason);
    }
    return giveBack(reservation, reason);
  }

  /**
   * Whether a reservation should have come to its end by now, and has not been looked up of late.
   */
  public boolean isOverdue(Reservation reservation, Instant now) {
    return !reservation.lastWrite().plus(WATCH_IS_LATE).isAfter(now)
        && !reservation.lastLook().plus(BETWEEN_LOOKS).isAfter(now);
  }

  /** Looks up what has become of a reservation that is overdue, and waits for the answer. */
  public void check(Reservation reservation, Instant now) {
    if (!isOverdue(reservation, now) || !reservation.writing().tryLock()) {
      return;
    }
    try {
      reservation.looked(now);
      switch (api.look(reservation.pod(), PATIENCE_TO_CHECK)) {
        case PodApi.Look.Gone() -> giveBack(reservation, "");
        case PodApi.Look.Unclear unclear -> {}
        case PodApi.Look.Found(PodFacts pod) -> {
          boolean elsewhere = pod.node() != null && !pod.node().equals(reservation.node().name());
          boolean never =
              pod.node() == null && reservation.lastWrite().plus(WRITES_ARE_OVER).isBefore(now);
          if (pod.ended() || elsewhere || never) {
            giveBack(reservation, "");
          } else if (pod.node() != null) {
            reservation.becomes(State.BOUND);
          }
        }
      }
    } finally {
      reservation.writing().unlock();
    }
  }

  private static Optional<String> bound(Reservation reservation) {
    reservation.becomes(State.BOUND);
    return Optional.empty();
  }

  private Optional<String> giveBack(Reservation reservation, String reason) {
    reservation.becomes(State.GIVEN_BACK);
    picture.release(reservation);
    return Optional.of(reason);
  }
}
