package io.baetyl.gpu.metrics.watching;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.Health;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class CardHealthTest {
  private static final Instant NOW = Instant.parse("2026-11-30T07:00:00Z");

  @Test
  void aNewCardIsHealthyWithItsFirstAnswer() {
    assertThat(CardHealth.NEW.answered(NOW).health()).isEqualTo(Health.HEALTHY);
  }

  @Test
  void oneFaultIsEnough() {
    var failed = CardHealth.NEW.answered(NOW).failed("lost");

    assertThat(failed.health()).isEqualTo(Health.UNHEALTHY);
    assertThat(failed.reason()).isEqualTo("lost");
  }

  @Test
  void itTakesThreeAnswersAndTenSecondsToBeHealthyAgain() {
    var health = CardHealth.NEW.failed("lost");

    for (int second = 0; second < 10; second += 2) {
      health = health.answered(NOW.plusSeconds(second));
      assertThat(health.health()).as("after %d s", second).isEqualTo(Health.UNHEALTHY);
      assertThat(health.reason()).isEqualTo("lost");
    }
    health = health.answered(NOW.plusSeconds(10));

    assertThat(health.health()).isEqualTo(Health.HEALTHY);
    assertThat(health.reason()).isNull();
  }

  @Test
  void twoAnswersAreNotEnoughHoweverFarApart() {
    var health = CardHealth.NEW.failed("lost").answered(NOW);

    assertThat(health.answered(NOW.plus(Duration.ofHours(1))).health()).isEqualTo(Health.UNHEALTHY);
  }

  @Test
  void aFaultBeginsTheWaitAnew() {
    var health = CardHealth.NEW.failed("lost");
    for (int second = 0; second < 10; second += 2) {
      health = health.answered(NOW.plusSeconds(second));
    }

    health = health.failed("lost again").answered(NOW.plusSeconds(10));

    assertThat(health.health()).isEqualTo(Health.UNHEALTHY);
  }
}
