package io.baetyl.gpu.deviceplugin.sharing;

import static io.baetyl.gpu.deviceplugin.allocation.Given.A;
import static io.baetyl.gpu.deviceplugin.allocation.Given.B;
import static io.baetyl.gpu.deviceplugin.allocation.Given.app;
import static io.baetyl.gpu.deviceplugin.allocation.Given.card;
import static io.baetyl.gpu.deviceplugin.allocation.Given.decided;
import static io.baetyl.gpu.deviceplugin.allocation.Given.mirrored;
import static io.baetyl.gpu.deviceplugin.allocation.Given.pod;
import static io.baetyl.gpu.deviceplugin.allocation.Given.shared;
import static io.baetyl.gpu.deviceplugin.allocation.Given.units;
import static io.baetyl.gpu.deviceplugin.allocation.Given.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationState;
import io.baetyl.gpu.api.v1alpha1.DecidedBy;
import io.baetyl.gpu.deviceplugin.allocation.Admission;
import io.baetyl.gpu.deviceplugin.allocation.Ledger;
import io.baetyl.gpu.deviceplugin.allocation.ListedContainer;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import io.baetyl.gpu.deviceplugin.allocation.NodePod.Life;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

final class SharedBooksTest {
  private static final SharedCards SHARED = shared(card(A, 29), card(B, 29));
  private static final NodePod POD = decided("p", Map.of("main", A), app("main", 4));
  private static final Predicate<String> ALIVE = uid -> true;
  private static final Predicate<String> DEAD = uid -> false;

  private final Ledger ledger = new Ledger();
  private long nanos;
  private final Decisions decisions = new Decisions(() -> nanos);
  private final List<String> corrections = new ArrayList<>();
  private final SharedBooks books =
      new SharedBooks(
          ledger,
          decisions,
          (pod, decision, reason) -> corrections.add(decision.format() + " " + reason));

  @Test
  void aPodIsExpectedUntilItHasItsUnits() {
    assertThat(books.someExpected(SHARED, List.of(POD))).isTrue();
    take(POD, units(A, 0, 4));
    assertThat(books.someExpected(SHARED, List.of(POD))).isFalse();
  }

  @Test
  void nobodyIsExpectedWhoIsOnItsWayOutOrOnACardThatIsNotHere() {
    assertThat(books.someExpected(SHARED, List.of(with(POD, Life.DELETING)))).isFalse();
    assertThat(
            books.someExpected(
                SHARED, List.of(decided("q", Map.of("main", "GPU-c"), app("main", 4)))))
        .isFalse();
    assertThat(books.someExpected(SHARED, List.of(pod("r", app("main", 4))))).isFalse();
  }

  @Test
  void aDecisionThatIsNotWhatHasHappenedIsCorrected() {
    take(POD, units(B, 0, 4));

    books.correct(List.of(POD));

    assertThat(corrections)
        .containsExactly("uid-p:main=GPU-b its containers have other cards than was decided");
    assertThat(decisions.of(POD).orElseThrow().cards()).containsEntry("main", B);
  }

  @Test
  void whatWasDecidedOfAPodThatTheWatchHasNotDeliveredIsKeptForAWhile() {
    var late = pod("late", app("main", 4));
    decisions.decide(late, Map.of("main", B));

    books.correct(List.of(POD));
    assertThat(decisions.of(late)).isPresent();

    nanos += TimeUnit.SECONDS.toNanos(11);
    books.correct(List.of(POD, late));
    assertThat(decisions.of(late)).as("it is there").isPresent();
    books.correct(List.of(POD));
    assertThat(decisions.of(late)).as("it is gone").isEmpty();
  }

  @Test
  void whatHasHappenedAsDecidedIsLeftAlone() {
    take(POD, units(A, 0, 4));
    take(pod("undecided", app("main", 4)), units(B, 0, 4));

    books.correct(List.of(POD));

    assertThat(corrections).isEmpty();
  }

  @Test
  void aPodThatNobodyElseDecidedOnStaysWhereItWasPut() {
    var pod = pod("static", app("main", 4));

    books.takeOver(SHARED, List.of(row(pod, A, 4)), List.of(pod), DEAD);

    assertThat(decisions.of(pod).orElseThrow().cards()).containsEntry("main", A);
    assertThat(ledger.held()).isEmpty();
  }

  @Test
  void whatTheKubeletTellsIsNotTakenFromTheStatus() {
    var pod = pod("p", app("main", 4));
    take(pod, units(B, 0, 4));

    books.takeOver(SHARED, List.of(row(pod, A, 4)), List.of(pod), DEAD);

    assertThat(decisions.of(pod)).isEmpty();
  }

  @Test
  void aForgottenPodKeepsAsManyUnitsAsItHadWhileItLives() {
    take(pod("other", app("main", 2)), units(A, 27, 2));

    books.takeOver(SHARED, List.of(row(POD, A, 4)), List.of(), ALIVE);

    assertThat(ledger.find(POD).orElseThrow().allIds()).isEqualTo(units(A, 23, 4));
  }

  @Test
  void aForgottenStaticPodIsFoundByItsUidOnTheNode() {
    var pod = mirrored(pod("static", app("main", 4)), "mirror");

    books.takeOver(SHARED, List.of(row(pod, A, 4)), List.of(), "uid-static"::equals);

    assertThat(ledger.find(pod).orElseThrow().allIds()).hasSize(4);
  }

  @Test
  void aStaticPodWhoseMirrorWasMadeAnewIsTheSame() {
    var before = mirrored(pod("static", app("main", 4)), "mirror-1");
    var now = mirrored(before, "mirror-2");

    books.takeOver(SHARED, List.of(row(before, A, 4)), List.of(now), ALIVE);

    assertThat(decisions.of(now).orElseThrow().cards()).containsEntry("main", A);
    assertThat(ledger.held()).isEmpty();
  }

  private static NodePod podWithUid(String uid) {
    return new NodePod(
        POD.namespace(),
        POD.name(),
        uid,
        uid,
        POD.created(),
        POD.requests(),
        POD.decision(),
        POD.life(),
        false);
  }

  @Test
  void aMirrorThatClaimsAnotherPodsUidIsNotTheOneThatWasReported() {
    var liar = mirrored(pod("static", app("main", 4)), "mirror");
    var pod = podWithUid(liar.kubeletUid());

    books.takeOver(SHARED, List.of(row(pod, A, 4)), List.of(pod, liar), ALIVE);

    assertThat(decisions.of(pod).orElseThrow().cards()).containsEntry("main", A);
    assertThat(decisions.of(liar)).isEmpty();
  }

  @Test
  void aMirrorThatClaimsAForgottenPodsUidDoesNotFreeItsUnits() {
    var liar = mirrored(pod("liar", app("main", 4)), "mirror");
    var forgotten = podWithUid(liar.kubeletUid());

    books.takeOver(SHARED, List.of(row(forgotten, A, 4)), List.of(liar), ALIVE);

    assertThat(ledger.find(forgotten).orElseThrow().allIds()).hasSize(4);
  }

  @Test
  void aForgottenPodThatTheKubeletListsByItsNameKeepsTheUnitsListed() {
    var pod = mirrored(pod("static", app("main", 4), app("side", 2)), "mirror");
    ledger.reconcile(
        ledger.listingBegins(),
        List.of(
            new ListedContainer("apps", "static", "main", units(A, 0, 4)),
            new ListedContainer("apps", "static", "side", units(A, 4, 2))),
        List.of(),
        ALIVE);

    books.takeOver(SHARED, List.of(row(pod, A, 4), row(pod, "side", A, 2)), List.of(), ALIVE);

    assertThat(ledger.held())
        .singleElement()
        .satisfies(
            held -> {
              assertThat(held.pod().uid()).isEqualTo("mirror");
              assertThat(held.ids())
                  .isEqualTo(Map.of("main", units(A, 0, 4), "side", units(A, 4, 2)));
            });
  }

  @Test
  void aForgottenPodWithoutProcessesHasNothing() {
    books.takeOver(SHARED, List.of(row(POD, A, 4)), List.of(), DEAD);

    assertThat(ledger.held()).isEmpty();
  }

  @Test
  void theStatusShowsWhatIsInTheLedger() {
    take(POD, units(A, 0, 4));

    assertThat(books.rows(SHARED, List.of(POD), List.of(), Instant.EPOCH))
        .containsExactly(row(POD, A, 4));
    assertThat(books.units(SHARED, List.of())).hasSize(58);
  }

  private void take(NodePod pod, Set<String> ids) {
    ledger.take(new Admission(pod, "main"), ids);
  }

  private static Allocation row(NodePod pod, String card, int units) {
    return row(pod, "main", card, units);
  }

  private static Allocation row(NodePod pod, String container, String card, int units) {
    return new Allocation(
        pod.namespace(),
        pod.name(),
        container,
        pod.uid(),
        pod.isStatic() ? pod.kubeletUid() : null,
        card,
        null,
        units,
        AllocationState.RUNNING,
        pod.decision().isPresent() ? DecidedBy.SCHEDULER : DecidedBy.DEVICE_PLUGIN,
        "1970-01-01T00:00:00Z");
  }
}
