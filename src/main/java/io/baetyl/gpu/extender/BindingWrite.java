package io.baetyl.gpu.extender;

import io.baetyl.gpu.extender.Reservation.State;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Brings a reservation to its end: bound, or given back. What it does not know it looks up; what it
 * cannot look up it keeps.
 */
final class BindingWrite {
  /** A write that came to nothing clear is repeated; a second one can do no harm. */
  private static final int TRIES = 3;

  /**
   * The API server gives up on a request after 60 s: what it has not done by then, it never will.
   */
  static final Duration WRITES_ARE_OVER = Duration.ofSeconds(65);

  /** A binding that the watch has not shown for this long is looked up. */
  static final Duration WATCH_IS_LATE = Duration.ofSeconds(10);

  private final Picture picture;
  private final PodApi api;
  private final Clock clock;

  BindingWrite(Picture picture, PodApi api, Clock clock) {
    this.picture = picture;
    this.api = api;
    this.clock = clock;
  }

  /**
   * Writes the binding, unless another call has done so.
   *
   * @return empty when the pod is bound, else why not
   */
  Optional<String> write(Reservation reservation) {
    reservation.writing().lock();
    try {
      return switch (reservation.state()) {
        case BOUND -> Optional.empty();
        case GIVEN_BACK -> Optional.of("an earlier call could not bind the pod");
        case WRITING, UNCLEAR -> tryToWrite(reservation);
      };
    } finally {
      reservation.writing().unlock();
    }
  }

  private Optional<String> tryToWrite(Reservation reservation) {
    // A write whose fate is unknown may land at any time until the API server has forgotten it.
    boolean mayLand = reservation.state() == State.UNCLEAR;
    var reason = "";
    for (int attempt = 0; attempt < TRIES; attempt++) {
      reservation.written(clock.instant());
      switch (api.bind(reservation.pod(), reservation.node().name(), reservation.decision())) {
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
      switch (api.look(reservation.pod())) {
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

  /** Looks after a reservation that should have come to its end by now. */
  void check(Reservation reservation, Instant now) {
    if (reservation.lastWrite().plus(WATCH_IS_LATE).isAfter(now)
        || !reservation.writing().tryLock()) {
      return;
    }
    try {
      switch (api.look(reservation.pod())) {
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
