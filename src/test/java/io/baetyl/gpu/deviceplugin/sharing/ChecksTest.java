package io.baetyl.gpu.deviceplugin.sharing;

import static io.baetyl.gpu.deviceplugin.allocation.Given.A;
import static io.baetyl.gpu.deviceplugin.allocation.Given.B;
import static io.baetyl.gpu.deviceplugin.allocation.Given.app;
import static io.baetyl.gpu.deviceplugin.allocation.Given.card;
import static io.baetyl.gpu.deviceplugin.allocation.Given.init;
import static io.baetyl.gpu.deviceplugin.allocation.Given.pod;
import static io.baetyl.gpu.deviceplugin.allocation.Given.shared;
import static io.baetyl.gpu.deviceplugin.allocation.Given.units;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.deviceplugin.allocation.Admission;
import io.baetyl.gpu.deviceplugin.allocation.AllocationRefusedException;
import io.baetyl.gpu.deviceplugin.allocation.HeldPod;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class ChecksTest {
  private static final SharedCards SHARED = shared(card(A, 29), card(B, 29, Health.UNHEALTHY));

  @Test
  void theCardOfUnitsIsFound() throws AllocationRefusedException {
    assertThat(Checks.onlyCard(SHARED, units(A, 3, 5)).id()).isEqualTo(A);
  }

  static Stream<Arguments> unitsNotHandedOut() {
    return Stream.of(
        Arguments.of(Set.of(), "units of 0"),
        Arguments.of(List.of(A + ":0", B + ":0"), "units of 2"),
        Arguments.of(Set.of(A + ":29"), "no unit GPU-a:29 (any more)"),
        Arguments.of(Set.of("GPU-c:0"), "no unit GPU-c:0"),
        Arguments.of(Set.of("tpu"), "no unit tpu"),
        Arguments.of(Set.of(B + ":0"), "Card GPU-b is unhealthy: XID 79"));
  }

  @ParameterizedTest
  @MethodSource("unitsNotHandedOut")
  void unitsOfNoCardOfSeveralAndOfAFailingOneAreRefused(Collection<String> ids, String reason) {
    assertThatThrownBy(() -> Checks.onlyCard(SHARED, ids))
        .isInstanceOf(AllocationRefusedException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void aContainerGetsNoMoreThanItAsksFor() {
    var admission = new Admission(pod("p", app("main", 4)), "main");

    assertThatCode(() -> admission.refuseMoreThanAsked(4)).doesNotThrowAnyException();
    assertThatThrownBy(() -> admission.refuseMoreThanAsked(5))
        .hasMessage(
            "container \"main\" of pod apps/p asks for 4 units, and the kubelet wants 5 for it");
  }

  @Test
  void whatAContainerAsksForThatNobodyKnowsIsNotJudged() {
    assertThatCode(() -> new Admission(NodePod.unknown("apps", "p"), "").refuseMoreThanAsked(29))
        .doesNotThrowAnyException();
  }

  @Test
  void besideOthersThereIsTheRest() {
    var held = List.of(holding(pod("other", app("main", 20)), units(A, 0, 20)));

    assertThatCode(() -> beside(held, pod("p", app("main", 9)), 9)).doesNotThrowAnyException();
    assertThatThrownBy(() -> beside(held, pod("p", app("main", 10)), 10))
        .hasMessage(
            "container \"main\" of pod apps/p cannot have 10 units of card GPU-a: other pods hold"
                + " 20 of its 29 units, and it has 9 free for newcomers");
  }

  @Test
  void besideAPodThatHasTheCardAloneThereIsNothing() {
    var held = List.of(holding(pod("alone", app("main", 24)), units(A, 0, 24)));

    assertThatThrownBy(() -> beside(held, pod("p", app("main", 1)), 1))
        .hasMessageEndingWith("another pod has it alone");
  }

  @Test
  void aPodThatWouldHaveTheCardAloneNeedsItEmpty() {
    var held = List.of(holding(pod("other", app("main", 1)), units(A, 0, 1)));

    assertThatThrownBy(() -> beside(held, pod("p", app("main", 24)), 24))
        .hasMessageContaining("other pods hold 1 of its 29 units");
  }

  @Test
  void whatTheContainerHadBeforeIsNotCountedTwice() {
    var pod = pod("p", app("main", 20));

    assertThatCode(() -> beside(List.of(holding(pod, units(A, 0, 20))), pod, 20))
        .doesNotThrowAnyException();
  }

  @Test
  void whatOtherContainersOfThePodHaveCounts() {
    var pod = pod("p", app("main", 10), app("side", 20));
    var held = List.of(new HeldPod(pod, Map.of("side", units(A, 0, 20))));

    assertThatThrownBy(() -> beside(held, pod, 10)).hasMessageContaining("cannot have 10 units");
  }

  @Test
  void aPodWithInitContainersNeedsItsLargestMomentAtOnce() {
    var other = List.of(holding(pod("other", app("main", 15)), units(A, 0, 15)));
    var pod = pod("p", init("prepare", 15), app("main", 4));

    assertThatThrownBy(() -> beside(other, pod, 4)).hasMessageContaining("cannot have 15 units");
  }

  private static void beside(List<HeldPod> held, NodePod pod, int units)
      throws AllocationRefusedException {
    Checks.refuseBesideOthers(
        SHARED, SHARED.device(A).orElseThrow(), new Admission(pod, "main"), units, held);
  }

  private static HeldPod holding(NodePod pod, Set<String> ids) {
    return new HeldPod(pod, Map.of("main", ids));
  }
}
