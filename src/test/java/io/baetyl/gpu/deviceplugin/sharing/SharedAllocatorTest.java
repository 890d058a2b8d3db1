package io.baetyl.gpu.deviceplugin.sharing;

import static io.baetyl.gpu.deviceplugin.allocation.Given.A;
import static io.baetyl.gpu.deviceplugin.allocation.Given.B;
import static io.baetyl.gpu.deviceplugin.allocation.Given.app;
import static io.baetyl.gpu.deviceplugin.allocation.Given.card;
import static io.baetyl.gpu.deviceplugin.allocation.Given.decided;
import static io.baetyl.gpu.deviceplugin.allocation.Given.init;
import static io.baetyl.gpu.deviceplugin.allocation.Given.pod;
import static io.baetyl.gpu.deviceplugin.allocation.Given.shared;
import static io.baetyl.gpu.deviceplugin.allocation.Given.units;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.deviceplugin.allocation.Admission;
import io.baetyl.gpu.deviceplugin.allocation.AllocationRefusedException;
import io.baetyl.gpu.deviceplugin.allocation.AllocationStrategy;
import io.baetyl.gpu.deviceplugin.allocation.Grant;
import io.baetyl.gpu.deviceplugin.allocation.Ledger;
import io.baetyl.gpu.deviceplugin.allocation.ListedContainer;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import io.baetyl.gpu.deviceplugin.allocation.NodePods;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class SharedAllocatorTest {
  private final Ledger ledger = new Ledger();
  private final Set<String> alive = new HashSet<>();
  private final List<NodePod> pods = new ArrayList<>();
  private final List<String> corrections = new ArrayList<>();

  /** The kubelet's list; null where it does not answer. */
  private List<ListedContainer> listed = new ArrayList<>();

  private SharedCards shared = shared(card(A, 29), card(B, 29));
  private long nanos;

  private final SharedAllocator allocator =
      new SharedAllocator(
          new AllocationStrategy.Dependencies(
              ledger,
              new NodePods() {
                @Override
                public Collection<NodePod> all() {
                  return pods;
                }

                @Override
                public Optional<NodePod> read(String namespace, String name) {
                  return Optional.empty();
                }
              },
              () -> {
                if (listed == null) {
                  throw new IOException("connection refused");
                }
                return listed;
              },
              alive::contains,
              () -> true,
              List::of),
          new Decisions(System::nanoTime),
          () -> Optional.ofNullable(shared),
          (pod, decision, reason) -> corrections.add(decision.format() + " " + reason),
          () -> nanos);

  @Test
  void anAmountThatTheKubeletCannotCountIsRefused() {
    assertThatThrownBy(() -> allocator.prefer(units(A, 0, 29), Set.of(), Integer.MIN_VALUE))
        .isInstanceOf(AllocationRefusedException.class)
        .hasMessageContaining("more than there can be");
  }

  @Test
  void theLowestFreeUnitsOfTheDecidedCardArePreferredAndHandedOut() throws Exception {
    ledger.take(new Admission(pod("other", app("main", 2)), "main"), units(A, 0, 2));
    alive.add("uid-other");
    admitting(decided("p", Map.of("main", A), app("main", 4)));

    var preferred = allocator.prefer(all(), Set.of(), 4);

    assertThat(preferred).isEqualTo(units(A, 2, 4));
    assertThat(allocator.allocate(preferred))
        .isEqualTo(
            new Grant(
                List.of(shared.device(A).orElseThrow()),
                Map.of("BAETYL_GPU_UUID", A, "BAETYL_GPU_MEMORY_MIB", "1024")));
    assertThat(ledger.holderOf(A + ":2")).contains("uid-p");
    assertThat(corrections).isEmpty();
  }

  @Test
  void whatAPodHeldThatIsOverGoesToTheOneThatWasSentForIt() throws Exception {
    ledger.take(new Admission(pod("over", app("main", 29)), "main"), units(A, 0, 29));
    admitting(decided("p", Map.of("main", A), app("main", 29)));

    assertThat(allocator.prefer(all(), Set.of(), 29)).isEqualTo(units(A, 0, 29));
    assertThat(corrections).isEmpty();
  }

  @Test
  void whatAProcessMayBeUsingDoesNot() throws Exception {
    ledger.take(new Admission(pod("over", app("main", 29)), "main"), units(A, 0, 29));
    alive.add("uid-over");
    admitting(decided("p", Map.of("main", A), app("main", 29)));

    assertThat(allocator.prefer(all(), Set.of(), 29)).isEqualTo(units(B, 0, 29));
    assertThat(corrections).hasSize(1);
  }

  @Test
  void unitsOnTheirWayToOneAreNotOfferedToAnother() throws Exception {
    admitting(decided("p", Map.of("main", A), app("main", 4)));
    var first = allocator.prefer(all(), Set.of(), 4);
    listed.clear();
    admitting(decided("q", Map.of("main", A), app("main", 4)));

    assertThat(allocator.prefer(all(), Set.of(), 4)).doesNotContainAnyElementsOf(first);
  }

  @Test
  void unitsThatWereNeverFetchedAreOfferedAgainAfterAWhile() throws Exception {
    admitting(decided("p", Map.of("main", A), app("main", 4)));
    var first = allocator.prefer(all(), Set.of(), 4);
    listed.clear();
    admitting(decided("q", Map.of("main", A), app("main", 4)));
    nanos += Duration.ofSeconds(5).toNanos() + 1;

    assertThat(allocator.prefer(all(), Set.of(), 4)).isEqualTo(first);
  }

  @Test
  void aContainerThatIsAllocatedAgainGetsTheSameUnits() throws Exception {
    var pod = decided("p", Map.of("main", A), app("main", 4));
    admitting(pod);
    ledger.take(new Admission(pod, "main"), units(A, 10, 4));

    assertThat(allocator.prefer(all(), Set.of(), 4)).isEqualTo(units(A, 10, 4));
  }

  @Test
  void whatComesFromInitContainersIsPartOfTheAnswerAndBindsToTheirCard() throws Exception {
    var pod = decided("p", Map.of("main", A), init("prepare", 2), app("main", 4));
    admitting(pod);
    ledger.take(new Admission(pod, "prepare"), units(B, 5, 2));

    assertThat(allocator.prefer(all(), units(B, 5, 2), 4))
        .hasSize(4)
        .containsAll(units(B, 5, 2))
        .allMatch(id -> id.startsWith(B));
  }

  @Test
  void allThatComesFromAnInitContainerStaysWithItsPod() throws Exception {
    var pod = pod("p", init("prepare", 4), app("main", 4));
    ledger.take(new Admission(pod, "prepare"), units(A, 0, 4));

    allocator.allocate(units(A, 0, 4));

    assertThat(ledger.held())
        .singleElement()
        .satisfies(
            held -> {
              assertThat(held.pod()).isEqualTo(pod);
              assertThat(held.allIds()).isEqualTo(units(A, 0, 4));
            });
  }

  @Test
  void partOfWhatComesFromInitContainersGoesToTheContainerOfThatSize() throws Exception {
    var pod = pod("p", init("prepare", 4), app("main", 2));
    ledger.take(new Admission(pod, "prepare"), units(A, 0, 4));

    allocator.allocate(units(A, 1, 2));

    assertThat(ledger.find(pod).orElseThrow().idsOf("main")).isEqualTo(units(A, 1, 2));
  }

  @Test
  void aPodThatCannotHaveItsDecidedCardGetsAnotherAndTheWordForIt() throws Exception {
    shared = shared(card(A, 29, Health.UNHEALTHY), card(B, 29));
    admitting(decided("p", Map.of("main", A), app("main", 4)));

    assertThat(allocator.prefer(all(), Set.of(), 4)).isEqualTo(units(B, 0, 4));
    assertThat(corrections).containsExactly("uid-p:main=GPU-b card GPU-a is unhealthy (XID 79)");
  }

  @Test
  void whereTheKubeletDoesNotListTheSizeTellsThePod() throws Exception {
    listed = null;
    pods.add(decided("small", Map.of("main", A), app("main", 4)));
    pods.add(decided("large", Map.of("main", B), app("main", 8)));

    assertThat(allocator.prefer(all(), Set.of(), 8)).isEqualTo(units(B, 0, 8));
  }

  @Test
  void unitsThatNobodyPreferredAreBookedForSomebody() throws Exception {
    allocator.allocate(units(A, 0, 4));

    assertThat(ledger.held())
        .singleElement()
        .satisfies(held -> assertThat(held.allIds()).isEqualTo(units(A, 0, 4)));
  }

  @Test
  void unitsThatAnotherPodHoldsAreRefused() {
    ledger.take(new Admission(pod("other", app("main", 2)), "main"), units(A, 0, 2));

    assertThatThrownBy(() -> allocator.allocate(units(A, 1, 2)))
        .isInstanceOf(AllocationRefusedException.class)
        .hasMessageContaining("units of card GPU-a that another pod still holds");
    assertThat(ledger.holderOf(A + ":2")).isEmpty();
  }

  @Test
  void whileTheCardsAreNotKnownNothingIsHandedOut() {
    shared = null;

    assertThatThrownBy(() -> allocator.prefer(Set.of(), Set.of(), 1))
        .hasMessageContaining("cards of this node are not known yet");
    assertThatThrownBy(() -> allocator.allocate(units(A, 0, 1)))
        .hasMessageContaining("cards of this node are not known yet");
  }

  /** The kubelet admits a pod: it lists its containers, without units. */
  private void admitting(NodePod pod) {
    pods.add(pod);
    pod.requests()
        .forEach(
            request ->
                listed.add(
                    new ListedContainer(pod.namespace(), pod.name(), request.name(), Set.of())));
  }

  private static Set<String> all() {
    var all = new HashSet<>(units(A, 0, 29));
    all.addAll(units(B, 0, 29));
    return all;
  }
}
