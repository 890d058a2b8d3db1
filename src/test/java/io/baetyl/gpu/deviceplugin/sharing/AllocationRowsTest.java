package io.baetyl.gpu.deviceplugin.sharing;

import static io.baetyl.gpu.deviceplugin.allocation.Given.A;
import static io.baetyl.gpu.deviceplugin.allocation.Given.B;
import static io.baetyl.gpu.deviceplugin.allocation.Given.app;
import static io.baetyl.gpu.deviceplugin.allocation.Given.card;
import static io.baetyl.gpu.deviceplugin.allocation.Given.decided;
import static io.baetyl.gpu.deviceplugin.allocation.Given.mirrored;
import static io.baetyl.gpu.deviceplugin.allocation.Given.pod;
import static io.baetyl.gpu.deviceplugin.allocation.Given.units;
import static io.baetyl.gpu.deviceplugin.allocation.Given.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationState;
import io.baetyl.gpu.api.v1alpha1.DecidedBy;
import io.baetyl.gpu.deviceplugin.allocation.HeldPod;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import io.baetyl.gpu.deviceplugin.allocation.NodePod.Life;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class AllocationRowsTest {
  private static final Instant NOW = Instant.parse("2026-11-30T07:00:00.123Z");
  private static final String EARLIER = "2026-11-30T06:00:00Z";
  private static final NodePod POD = decided("p", Map.of("main", A), app("main", 4));

  @Test
  void aPodOnItsWayHasItsDecidedCardAssumed() {
    assertThat(rows(List.of(), List.of(POD), List.of()))
        .containsExactly(row("p", "main", AllocationState.ASSUMED, "2026-11-30T07:00:00Z"));
  }

  @Test
  void aContainerThatHasItsUnitsRuns() {
    assertThat(rows(List.of(holding(POD)), List.of(POD), List.of()))
        .containsExactly(row("p", "main", AllocationState.RUNNING, "2026-11-30T07:00:00Z"));
  }

  @Test
  void aPodOnItsWayOutAndOneThatIsForgottenTerminate() {
    var deleting = with(POD, Life.DELETING);
    var terminating = row("p", "main", AllocationState.TERMINATING, "2026-11-30T07:00:00Z");

    assertThat(rows(List.of(holding(deleting)), List.of(deleting), List.of()))
        .containsExactly(terminating);
    assertThat(rows(List.of(holding(POD)), List.of(), List.of())).containsExactly(terminating);
  }

  @Test
  void aStateLastsSinceItBegan() {
    var before = List.of(row("p", "main", AllocationState.RUNNING, EARLIER));

    assertThat(rows(List.of(holding(POD)), List.of(POD), before)).isEqualTo(before);
    assertThat(rows(List.of(holding(POD)), List.of(), before))
        .singleElement()
        .extracting(Allocation::since)
        .isEqualTo("2026-11-30T07:00:00Z");
  }

  @Test
  void aPodThatCamePastTheSchedulerIsToldApart() {
    var past = pod("past", app("main", 4));

    var rows = rows(List.of(holding(past)), List.of(past), List.of());

    assertThat(rows).extracting(Allocation::decidedBy).containsExactly(DecidedBy.DEVICE_PLUGIN);
    assertThat(rows(List.of(holding(POD)), List.of(POD), rows))
        .extracting(Allocation::decidedBy)
        .containsExactly(DecidedBy.SCHEDULER);
  }

  @Test
  void whoDecidedForAPodThatIsForgottenIsRemembered() {
    var before = List.of(row("p", "main", AllocationState.TERMINATING, EARLIER));
    var gone = NodePod.gone(before.getFirst());

    assertThat(rows(List.of(holding(gone)), List.of(), before)).isEqualTo(before);
  }

  @Test
  void aPodThatHasEndedGetsNothingAnyMore() {
    assertThat(rows(List.of(), List.of(with(POD, Life.ENDED)), List.of())).isEmpty();
  }

  @Test
  void aCardThatTheNodeDoesNotHaveIsNoFactUntilSomebodyHasIt() {
    var elsewhere = decided("p", Map.of("main", "GPU-c"), app("main", 4));

    assertThat(rows(List.of(), List.of(elsewhere), List.of())).isEmpty();
    assertThat(
            rows(
                List.of(new HeldPod(elsewhere, Map.of("main", units("GPU-c", 0, 4)))),
                List.of(elsewhere),
                List.of()))
        .extracting(Allocation::device)
        .containsExactly("GPU-c");
  }

  @Test
  void aPodThatTheApiServerDoesNotKnowYetHasNoRow() {
    var unknown = NodePod.unknown("apps", "static");

    assertThat(
            rows(
                List.of(new HeldPod(unknown, Map.of("main", units(A, 0, 4)))),
                List.of(),
                List.of()))
        .isEmpty();
  }

  @Test
  void aStaticPodIsNamedByBothOfItsUids() {
    var pod = mirrored(pod("static", app("main", 4)), "mirror");

    assertThat(rows(List.of(holding(pod)), List.of(pod), List.of()))
        .extracting(Allocation::uid, Allocation::kubeletUid)
        .containsExactly(tuple("mirror", "uid-static"));
    assertThat(rows(List.of(holding(POD)), List.of(POD), List.of()))
        .extracting(Allocation::kubeletUid)
        .containsOnlyNulls();
  }

  @Test
  void rowsAreInOneOrderWhateverThatOfTheLedger() {
    var first = pod("a", app("main", 2), app("side", 1));
    var held =
        List.of(
            holding(POD),
            new HeldPod(first, Map.of("side", units(B, 0, 1), "main", units(B, 1, 2))));

    assertThat(rows(held, List.of(POD, first), List.of()))
        .extracting(row -> row.pod() + "/" + row.container() + "=" + row.units())
        .containsExactly("a/main=2", "a/side=1", "p/main=4");
  }

  private static List<Allocation> rows(
      List<HeldPod> held, List<NodePod> pods, List<Allocation> before) {
    return AllocationRows.of(
        held, pods, NodePod::decision, List.of(card(A, 29), card(B, 29)), before, NOW);
  }

  private static HeldPod holding(NodePod pod) {
    return new HeldPod(pod, Map.of("main", units(A, 0, 4)));
  }

  private static Allocation row(String pod, String container, AllocationState state, String since) {
    return new Allocation("apps", pod, container, "uid-" + pod, A, 4, state, since);
  }
}
