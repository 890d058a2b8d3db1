package io.baetyl.gpu.extender;

import io.baetyl.gpu.extender.binding.BindingWrite;
import io.baetyl.gpu.extender.picture.Picture;
import io.baetyl.gpu.extender.serving.TlsFiles;
import io.baetyl.gpu.extender.waking.WaitingPods;
import io.baetyl.gpu.extender.waking.Waker;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What has to be looked after though no event tells of it. */
final class Upkeep {
  static final Duration PERIOD = Duration.ofMillis(500);

  private static final Logger LOG = LoggerFactory.getLogger(Upkeep.class);
  private static final Duration BETWEEN_RELOADS = Duration.ofSeconds(5);
  private static final Duration BETWEEN_RECONSIDERATIONS = Duration.ofSeconds(5);

  private final Picture picture;
  private final WaitingPods waiting;
  private final Waker waker;
  private final BindingWrite bindings;
  private final TlsFiles tls;
  private final Clock clock;
  private Instant lastReload = Instant.MIN;
  private Instant lastReconsidered = Instant.MIN;
  private Optional<String> lastTrouble = Optional.of("");
  private boolean everReady;

  Upkeep(
      Picture picture,
      WaitingPods waiting,
      Waker waker,
      BindingWrite bindings,
      TlsFiles tls,
      Clock clock) {
    this.picture = picture;
    this.waiting = waiting;
    this.waker = waker;
    this.bindings = bindings;
    this.tls = tls;
    this.clock = clock;
  }

  /**
   * Does it all once.
   *
   * @param whyNotReady why calls are not answered at the moment
   */
  void run(Supplier<Optional<String>> whyNotReady) {
    try {
      var now = clock.instant();
      var trouble = whyNotReady.get();
      report(trouble);
      if (lastReload.plus(BETWEEN_RELOADS).isBefore(now)) {
        lastReload = now;
        tls.reload();
      }
      if (trouble.isEmpty()) {
        recallWaitingPods();
        picture.expire(now);
        checkReservations(now);
        if (lastReconsidered.plus(BETWEEN_RECONSIDERATIONS).isBefore(now)
            && waiting.hasLapsed(now)) {
          lastReconsidered = now;
          waker.reconsider();
        }
      }
    } catch (Throwable unexpected) {
      // Whatever is thrown would end the schedule, and leave cards kept and pods asleep for ever.
      LOG.error("Upkeep failed, and goes on.", unexpected);
    }
  }

  /** Beside the upkeep: a look takes as long as the API server does, and there may be many. */
  private void checkReservations(Instant now) {
    for (var reservation : picture.reservations()) {
      if (bindings.isOverdue(reservation, now)) {
        Thread.ofVirtual().name("look").start(() -> bindings.check(reservation, now));
      }
    }
  }

  private void report(Optional<String> trouble) {
    if (!trouble.equals(lastTrouble)) {
      lastTrouble = trouble;
      if (trouble.isPresent()) {
        LOG.warn("Not ready. reason={}", trouble.get());
      } else {
        LOG.info("Ready. nodes={} pods={}", picture.nodes().size(), picture.pods().size());
      }
    }
  }

  /** Pods that waited when this process began were refused by one before it. */
  private void recallWaitingPods() {
    if (!everReady) {
      everReady = true;
      picture.pods().stream()
          .filter(pod -> pod.node() == null && pod.refused())
          .forEach(pod -> waiting.refused(pod, null));
      waker.reconsider();
    }
  }
}
