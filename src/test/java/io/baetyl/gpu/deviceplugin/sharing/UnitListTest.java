package io.baetyl.gpu.deviceplugin.sharing;

import static io.baetyl.gpu.deviceplugin.allocation.Given.A;
import static io.baetyl.gpu.deviceplugin.allocation.Given.B;
import static io.baetyl.gpu.deviceplugin.allocation.Given.app;
import static io.baetyl.gpu.deviceplugin.allocation.Given.card;
import static io.baetyl.gpu.deviceplugin.allocation.Given.pod;
import static io.baetyl.gpu.deviceplugin.allocation.Given.shared;
import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.deviceplugin.allocation.HeldPod;
import io.baetyl.gpu.deviceplugin.allocation.Unit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class UnitListTest {

  @Test
  void everyUnitIsAsHealthyAsItsCard() {
    assertThat(UnitList.of(shared(card(A, 2), card(B, 1, Health.UNHEALTHY)), List.of()))
        .containsExactly(
            new Unit(A + ":0", true), new Unit(A + ":1", true), new Unit(B + ":0", false));
  }

  @Test
  void aCardOfUnknownHealthIsOffered() {
    assertThat(UnitList.of(shared(card(A, 1, Health.UNKNOWN)), List.of()))
        .containsExactly(new Unit(A + ":0", true));
  }

  @Test
  void heldUnitsOfACardThatIsGoneStayAsUnhealthy() {
    assertThat(UnitList.of(shared(card(A, 1)), List.of(holding(B + ":3"))))
        .containsExactly(new Unit(A + ":0", true), new Unit(B + ":3", false));
  }

  @Test
  void heldUnitsThatTheProfileLeavesNoRoomForStayAsUnhealthy() {
    assertThat(UnitList.of(shared(card(A, 2)), List.of(holding(A + ":1", A + ":2"))))
        .containsExactly(
            new Unit(A + ":0", true), new Unit(A + ":1", true), new Unit(A + ":2", false));
  }

  @Test
  void whatIsNoUnitOfOursIsNotOffered() {
    assertThat(UnitList.of(shared(), List.of(holding("tpu", "GPU:x")))).isEmpty();
  }

  private static HeldPod holding(String... ids) {
    return new HeldPod(pod("p", app("main", ids.length)), Map.of("main", Set.of(ids)));
  }
}
