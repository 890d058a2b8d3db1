package io.baetyl.gpu.accelerator.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class XidFaultsTest {
  private static final String CARD = "GPU-1";

  private final XidFaults faults = new XidFaults();

  @Test
  void whatAnApplicationCausesIsNoFaultOfTheCard() {
    assertThat(faults.after(CARD, List.of(13, 31, 43, 45, 68, 109))).isEmpty();
  }

  @Test
  void aFaultOfAMomentIsOverWithTheNextAnswer() {
    assertThat(faults.after(CARD, List.of(31, 63))).get().asString().contains("Xid 63");
    assertThat(faults.after(CARD, List.of())).isEmpty();
  }

  @Test
  void aCardThatNeedsAResetStaysAtFaultUntilItHasBeenAway() {
    assertThat(faults.after(CARD, List.of(63, 48))).get().asString().contains("Xid 48", "reset");
    assertThat(faults.after(CARD, List.of(94))).get().asString().contains("Xid 48");
    assertThat(faults.after("GPU-2", List.of())).isEmpty();

    faults.forget(CARD);

    assertThat(faults.after(CARD, List.of())).isEmpty();
  }
}
