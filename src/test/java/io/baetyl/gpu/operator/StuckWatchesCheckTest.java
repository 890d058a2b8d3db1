package io.baetyl.gpu.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import org.eclipse.microprofile.health.HealthCheckResponse.Status;
import org.junit.jupiter.api.Test;

class StuckWatchesCheckTest {
  private Instant now = Instant.parse("2026-03-01T12:00:00Z");
  private boolean stuck;
  private final Clock clock = ((InstantSource) () -> now).withZone(ZoneOffset.UTC);
  private final StuckWatchesCheck check = new StuckWatchesCheck(() -> stuck, clock);

  private Status after(Duration time, boolean isStuck) {
    now = now.plus(time);
    stuck = isStuck;
    return check.call().getStatus();
  }

  @Test
  void aWatchThatIsBegunAnewDoesNoHarm() {
    assertThat(after(Duration.ZERO, true)).isEqualTo(Status.UP);
    assertThat(after(StuckWatchesCheck.PATIENCE, true)).isEqualTo(Status.UP);
    assertThat(after(Duration.ofSeconds(1), false)).isEqualTo(Status.UP);
    assertThat(after(Duration.ofSeconds(1), true)).isEqualTo(Status.UP);
  }

  @Test
  void oneThatStaysLostCostsTheLife() {
    after(Duration.ZERO, true);

    assertThat(after(StuckWatchesCheck.PATIENCE.plusSeconds(1), true)).isEqualTo(Status.DOWN);
  }
}
