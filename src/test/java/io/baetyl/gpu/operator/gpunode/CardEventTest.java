package io.baetyl.gpu.operator.gpunode;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.api.v1alpha1.Summary;
import io.baetyl.gpu.model.CardSums;
import java.util.List;
import org.junit.jupiter.api.Test;

class CardEventTest {
  private static final Device WELL = card(Health.HEALTHY, null);
  private static final Device FAILED = card(Health.UNHEALTHY, "it does not answer");

  private static Device card(Health health, String reason) {
    return new Device("GPU-a", 0, null, "Tesla P4", 7611L, null, null, health, reason);
  }

  private static Summary summary(Device card) {
    return CardSums.ofNone(List.of(card));
  }

  @Test
  void aCardThatFailsIsAWarningWithItsReason() {
    assertThat(CardEvent.since(summary(WELL), List.of(FAILED)))
        .containsExactly(
            new CardEvent(
                "Warning", "CardUnhealthy", "card GPU-a cannot be handed out: it does not answer"));
  }

  @Test
  void aCardThatRecoversIsToldToo() {
    assertThat(CardEvent.since(summary(FAILED), List.of(WELL)))
        .containsExactly(
            new CardEvent("Normal", "CardRecovered", "card GPU-a can be handed out again"));
  }

  @Test
  void whatWasToldIsNotToldAgain() {
    assertThat(CardEvent.since(summary(FAILED), List.of(FAILED))).isEmpty();
    assertThat(CardEvent.since(summary(WELL), List.of(WELL))).isEmpty();
  }

  @Test
  void aCardThatIsFoundIsToldOnlyWhereItHasFailed() {
    assertThat(CardEvent.since(null, List.of(WELL))).isEmpty();
    assertThat(CardEvent.since(null, List.of(FAILED))).hasSize(1);
  }
}
