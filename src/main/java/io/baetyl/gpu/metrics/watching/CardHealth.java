package io.baetyl.gpu.metrics.watching;

import io.baetyl.gpu.api.v1alpha1.Health;
import java.time.Duration;
import java.time.Instant;

/**
 * The health of a device by what was seen of it. One fault makes it unhealthy at once; to be
 * healthy again it has to answer well for a while, so that pods are not sent to a device that comes
 * and goes. A new device is healthy with its first good answer.
 *
 * @param health {@link Health#UNKNOWN} until the first answer
 * @param reason why it is not healthy, in a sentence; null where it is
 * @param wellSince when the answers that are good again began; null where there is none
 * @param wellAnswers how many there are
 */
record CardHealth(Health health, String reason, Instant wellSince, int wellAnswers) {
  static final Duration WELL_FOR = Duration.ofSeconds(10);
  static final int WELL_ANSWERS = 3;

  static final CardHealth NEW = new CardHealth(Health.UNKNOWN, null, null, 0);
  private static final CardHealth HEALTHY = new CardHealth(Health.HEALTHY, null, null, 0);

  /** After an answer without a fault. */
  CardHealth answered(Instant now) {
    if (health != Health.UNHEALTHY) {
      return HEALTHY;
    }
    var since = wellSince == null ? now : wellSince;
    int answers = wellAnswers + 1;
    boolean recovered = answers >= WELL_ANSWERS && !now.isBefore(since.plus(WELL_FOR));
    return recovered ? HEALTHY : new CardHealth(health, reason, since, answers);
  }

  /** After a fault. */
  CardHealth failed(String why) {
    return new CardHealth(Health.UNHEALTHY, why, null, 0);
  }
}
