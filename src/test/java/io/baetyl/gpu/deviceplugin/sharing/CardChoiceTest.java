package io.baetyl.gpu.deviceplugin.sharing;

import static io.baetyl.gpu.deviceplugin.allocation.Given.A;
import static io.baetyl.gpu.deviceplugin.allocation.Given.B;
import static io.baetyl.gpu.deviceplugin.allocation.Given.app;
import static io.baetyl.gpu.deviceplugin.allocation.Given.card;
import static io.baetyl.gpu.deviceplugin.allocation.Given.decided;
import static io.baetyl.gpu.deviceplugin.allocation.Given.init;
import static io.baetyl.gpu.deviceplugin.allocation.Given.pod;
import static io.baetyl.gpu.deviceplugin.allocation.Given.shared;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.deviceplugin.allocation.Admission;
import io.baetyl.gpu.deviceplugin.allocation.AllocationRefusedException;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import io.baetyl.gpu.deviceplugin.sharing.CardChoice.Chosen;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class CardChoiceTest {
  private SharedCards shared = shared(card(A, 29), card(B, 29));
  private final List<Hold> holds = new ArrayList<>();
  private final Map<String, Integer> offered = new HashMap<>(Map.of(A, 29, B, 29));

  @Test
  void whatWasDecidedStands() throws AllocationRefusedException {
    held("other", A, 20);

    assertThat(choose(decided("p", Map.of("main", B), app("main", 8)), 8))
        .isEqualTo(new Chosen(B, Map.of(), ""));
  }

  @Test
  void whatWasPromisedToOthersDoesNotOverrideWhatWasDecided() throws AllocationRefusedException {
    promised("other", A, 29);

    assertThat(choose(decided("p", Map.of("main", A), app("main", 8)), 8).card()).isEqualTo(A);
  }

  @Test
  void withoutADecisionThePlacementOfTheProfileDecides() throws AllocationRefusedException {
    held("other", B, 20);

    assertThat(choose(pod("p", app("main", 8)), 8))
        .isEqualTo(new Chosen(B, Map.of("main", B), "no card was decided for it"));
  }

  @Test
  void withoutADecisionWhatWasPromisedToOthersIsLeftToThem() throws AllocationRefusedException {
    promised("other", A, 20);
    held("another", A, 9);

    assertThat(choose(pod("p", app("main", 8)), 8).card()).isEqualTo(B);
  }

  @Test
  void aPodIsPlacedWithAllOfItsContainers() throws AllocationRefusedException {
    held("other", B, 20);

    // The larger one first, which fits A only; the smaller one fills B.
    assertThat(choose(pod("p", app("side", 15), app("main", 8)), 8).anew())
        .isEqualTo(Map.of("main", B, "side", A));
  }

  @Test
  void aDecidedCardThatFailsIsLeft() throws AllocationRefusedException {
    shared = shared(card(A, 29, Health.UNHEALTHY), card(B, 29));

    assertThat(choose(decided("p", Map.of("main", A), app("main", 8)), 8))
        .isEqualTo(new Chosen(B, Map.of("main", B), "card GPU-a is unhealthy (XID 79)"));
  }

  @Test
  void aDecidedCardThatIsGoneIsLeft() throws AllocationRefusedException {
    assertThat(choose(decided("p", Map.of("main", "GPU-c"), app("main", 8)), 8).reason())
        .isEqualTo("card GPU-c is not on this node any more");
  }

  @Test
  void aDecidedCardThatOthersFillIsLeft() throws AllocationRefusedException {
    held("other", A, 20);

    assertThat(choose(decided("p", Map.of("main", A), app("main", 10)), 10))
        .isEqualTo(
            new Chosen(B, Map.of("main", B), "card GPU-a has 9 units free where 10 are needed"));
  }

  @Test
  void unitsThatTheKubeletDoesNotOfferAreNoRoom() throws AllocationRefusedException {
    offered.put(A, 7);

    assertThat(choose(decided("p", Map.of("main", A), app("main", 8)), 8).card()).isEqualTo(B);
    assertThat(choose(pod("q", app("main", 8)), 8).card()).isEqualTo(B);
  }

  @Test
  void whatThePodIsBoundToComesBeforeWhatWasDecided() throws AllocationRefusedException {
    var pod = decided("p", Map.of("main", A), init("prepare", 4), app("main", 4));

    assertThat(choose(pod, Optional.of(B), 4)).isEqualTo(new Chosen(B, Map.of(), ""));
  }

  @Test
  void aPodIsRefusedRatherThanTornApart() {
    held("one", B, 13);
    held("other", B, 13);

    assertThatThrownBy(() -> choose(pod("p", app("main", 4)), Optional.of(B), 4))
        .hasMessage(
            "container \"main\" of pod apps/p has to stay on the card of its pod's other"
                + " containers, and card GPU-b has 3 units free where 4 are needed");
  }

  @Test
  void aPodThatFitsNowhereIsRefusedWithTheLargestBlock() {
    held("one", A, 20);
    held("other", B, 22);

    assertThatThrownBy(() -> choose(decided("p", Map.of("main", B), app("main", 10)), 10))
        .hasMessage(
            "container \"main\" of pod apps/p asks for 10 units of baidu.com/vcuda-memory: card"
                + " GPU-b has 7 units free where 10 are needed, and no other card has them free"
                + " (the largest free block is 9)");
  }

  @Test
  void whoeverNobodyKnowsIsPlacedByItsSize() throws AllocationRefusedException {
    held("other", A, 22);

    assertThat(
            new CardChoice(shared, holds, offered)
                .choose(
                    new Admission(NodePod.unknown("apps", "p"), ""),
                    Optional.empty(),
                    Optional.empty(),
                    8)
                .card())
        .isEqualTo(B);
  }

  private Chosen choose(NodePod pod, int size) throws AllocationRefusedException {
    return choose(pod, Optional.empty(), size);
  }

  private Chosen choose(NodePod pod, Optional<String> bound, int size)
      throws AllocationRefusedException {
    return new CardChoice(shared, holds, offered)
        .choose(new Admission(pod, "main"), bound, pod.decision(), size);
  }

  private void held(String pod, String card, int units) {
    holds.add(new Hold(pod(pod, app("main", units)), "main", card, units, true));
    offered.merge(card, -units, Integer::sum);
  }

  private void promised(String pod, String card, int units) {
    holds.add(new Hold(pod(pod, app("main", units)), "main", card, units, false));
  }
}
