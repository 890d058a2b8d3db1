package io.baetyl.gpu.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileSpec;
import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.api.v1alpha1.Occupancy;
import io.baetyl.gpu.api.v1alpha1.Placement;
import io.baetyl.gpu.model.ContainerRequest.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NodeCardsTest {
  private static final ShareRules BINPACK = ShareRules.of(GpuShareProfileSpec.EMPTY);
  private static final ShareRules SPREAD =
      ShareRules.of(new GpuShareProfileSpec(null, null, Placement.SPREAD, null, null, null));

  private final List<Holding> holdings = new ArrayList<>();

  @Test
  void s5FillsOneCardBeforeTheNextAsFarAsItGoes() {
    assertThat(placeAll(BINPACK, cards(29, 29), 4, 20, 20)).containsExactly("A", "A", "B");
  }

  @Test
  void s6TwoSmallPodsShareACard() {
    assertThat(placeAll(BINPACK, cards(16, 16), 8, 8)).containsExactly("A", "A");
  }

  @Test
  void s7TwoThatDoNotFitTogetherTakeOneEach() {
    assertThat(placeAll(BINPACK, cards(16, 16), 8, 12)).containsExactly("A", "B");
  }

  @Test
  void s8NoCardHasRoomThoughTheNodeHas() {
    var cards =
        NodeCards.of(BINPACK, cards(16, 16), List.of(holds("a", "A", 10), holds("b", "B", 10)));
    assertThat(cards.fits(demand(8))).isFalse();
    assertThat(cards.largestFree()).isEqualTo(6);
  }

  @Test
  void s13FourFifthsOfACardAreTheWholeCard() {
    assertThat(placeAll(BINPACK, cards(29, 29), 24, 4)).containsExactly("A", "B");
    var cards = NodeCards.of(BINPACK, cards(29, 29), List.of(holds("a", "A", 24)));
    assertThat(cards.allocated(0)).isEqualTo(24);
    assertThat(cards.free(0)).isZero();
    assertThat(cards.occupancy(0)).isEqualTo(Occupancy.EXCLUSIVE);
  }

  @Test
  void anExclusivePodNeedsAnEmptyCard() {
    var cards = NodeCards.of(BINPACK, cards(29), List.of(holds("a", "A", 1)));
    assertThat(cards.fits(24)).isFalse();
    assertThat(cards.fits(23)).isTrue();
  }

  @Test
  void exclusivityGoesByThePodNotByTheContainer() {
    var cards = NodeCards.of(BINPACK, cards(29), List.of(holds("a", "A", 12), holds("a", "A", 12)));
    assertThat(cards.occupancy(0)).isEqualTo(Occupancy.EXCLUSIVE);
    var shared =
        NodeCards.of(BINPACK, cards(29), List.of(holds("a", "A", 12), holds("b", "A", 12)));
    assertThat(shared.occupancy(0)).isEqualTo(Occupancy.SHARED);
    assertThat(shared.free(0)).isEqualTo(5);
  }

  @Test
  void containersThatTogetherTakeACardAloneMoveOnWhenItIsNotEmpty() {
    var cards = NodeCards.of(BINPACK, cards(29, 29), List.of(holds("a", "A", 4)));
    assertThat(cards.place(demand(12, 12)).orElseThrow())
        .containsEntry("c0", "A")
        .containsEntry("c1", "B");
  }

  @Test
  void urA10EachCardHasItsOwnSize() {
    for (var order : List.of(cards(40, 80), cards(80, 40))) {
      var cards = NodeCards.of(BINPACK, order, List.of());
      var big = order.get(0).units() == 80 ? "A" : "B";
      assertThat(cards.place(demand(60)).orElseThrow()).containsEntry("c0", big);
      assertThat(cards.fits(81)).isFalse();
    }
  }

  @Test
  void spreadTakesTheEmptierCard() {
    assertThat(placeAll(SPREAD, cards(16, 16), 3, 3, 3, 3)).containsExactly("A", "B", "A", "B");
  }

  @Test
  void containersThatSpreadWouldStrandAreStillPlaced() {
    var cards =
        NodeCards.of(SPREAD, cards(16, 16), List.of(holds("a", "A", 9), holds("b", "B", 11)));
    assertThat(cards.place(demand(5, 4, 3)).orElseThrow())
        .containsEntry("c0", "B")
        .containsEntry("c1", "A")
        .containsEntry("c2", "A");
  }

  @Test
  void anUnhealthyCardGivesNothingAndKeepsWhatItHas() {
    var sick =
        new Device("A", 0, null, "P4", 4096L, 0L, 16, Health.UNHEALTHY, "it fell off the bus");
    var cards = NodeCards.of(BINPACK, List.of(sick), List.of(holds("a", "A", 4)));
    assertThat(cards.fits(1)).isFalse();
    assertThat(cards.allocated(0)).isEqualTo(4);
    assertThat(cards.free(0)).isZero();
  }

  @Test
  void p2AbsurdHoldingsNeverMakeRoom() {
    var cards =
        NodeCards.of(
            BINPACK,
            cards(16),
            List.of(
                holds("a", "A", Integer.MAX_VALUE),
                holds("b", "A", Integer.MAX_VALUE),
                holds("b", "A", Integer.MAX_VALUE)));
    assertThat(cards.free(0)).isZero();
    assertThat(cards.fits(1)).isFalse();
    assertThat(cards.fits(Integer.MAX_VALUE)).isFalse();
    assertThat(cards.fits(0, Integer.MAX_VALUE, Integer.MAX_VALUE)).isFalse();
  }

  @Test
  void aHoldingOnACardThatIsNotThereIsLeftOut() {
    var cards = NodeCards.of(BINPACK, cards(16), List.of(holds("a", "Z", 4)));
    assertThat(cards.free(0)).isEqualTo(16);
  }

  @Test
  void aCardWithoutUnitsYetTakesNobody() {
    var card = new Device("A", 0, null, "P4", 7611L, null, null, Health.HEALTHY, null);
    assertThat(NodeCards.of(BINPACK, List.of(card), List.of()).fits(1)).isFalse();
  }

  @Test
  void aReserveThatHasGrownLeavesNothingFreeBesideWhatIsHeld() {
    var reserving =
        ShareRules.of(new GpuShareProfileSpec(null, null, Placement.SPREAD, null, "3Gi", null));
    var fewer = cards(16, 16).stream().map(reserving::divide).toList();
    var cards = NodeCards.of(reserving, fewer, List.of(holds("a", "A", 10), holds("b", "A", 2)));

    assertThat(cards.units(0)).isEqualTo(4);
    assertThat(cards.allocated(0)).isEqualTo(12);
    assertThat(cards.free(0)).isZero();
    assertThat(cards.largestFree()).isEqualTo(4);
    assertThat(cards.place(demand(1))).contains(Map.of("c0", "B"));
    assertThat(cards.score(demand(1))).isBetween(0, 10);

    var only = NodeCards.of(reserving, fewer.subList(0, 1), List.of(holds("a", "A", 12)));
    assertThat(only.score(demand(1))).isZero();
    assertThat(only.place(demand(1))).isEmpty();
  }

  @Test
  void theScoreFollowsThePlacement() {
    var held = List.of(holds("a", "A", 8));
    assertThat(NodeCards.of(BINPACK, cards(16), held).score(demand(8))).isEqualTo(10);
    assertThat(NodeCards.of(BINPACK, cards(16), List.of()).score(demand(8))).isEqualTo(5);
    assertThat(NodeCards.of(SPREAD, cards(16), held).score(demand(8))).isZero();
    assertThat(NodeCards.of(SPREAD, cards(16), List.of()).score(demand(8))).isEqualTo(5);
    assertThat(NodeCards.of(BINPACK, cards(16), held).score(demand(9))).as("no room").isZero();
  }

  private List<String> placeAll(ShareRules rules, List<Device> devices, int... pods) {
    holdings.clear();
    var taken = new ArrayList<String>();
    for (int units : pods) {
      var card =
          NodeCards.of(rules, devices, holdings).place(demand(units)).orElseThrow().get("c0");
      taken.add(card);
      holdings.add(holds("pod-" + taken.size(), card, units));
    }
    return taken;
  }

  private static List<Device> cards(int... units) {
    var devices = new ArrayList<Device>();
    for (int card = 0; card < units.length; card++) {
      devices.add(
          new Device(
              String.valueOf((char) ('A' + card)),
              card,
              null,
              "P4",
              256L * units[card],
              0L,
              units[card],
              Health.HEALTHY,
              null));
    }
    return devices;
  }

  private static Holding holds(String pod, String card, int units) {
    return new Holding(pod, card, units);
  }

  private static PodDemand demand(int... units) {
    var requests = new ArrayList<ContainerRequest>();
    for (int container = 0; container < units.length; container++) {
      requests.add(new ContainerRequest("c" + container, units[container], Kind.APP));
    }
    return PodDemand.of(requests);
  }
}
