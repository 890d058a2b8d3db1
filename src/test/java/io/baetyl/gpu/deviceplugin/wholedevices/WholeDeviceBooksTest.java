package io.baetyl.gpu.deviceplugin.wholedevices;

import static io.baetyl.gpu.deviceplugin.allocation.Given.A;
import static io.baetyl.gpu.deviceplugin.allocation.Given.B;
import static io.baetyl.gpu.deviceplugin.allocation.Given.app;
import static io.baetyl.gpu.deviceplugin.allocation.Given.card;
import static io.baetyl.gpu.deviceplugin.allocation.Given.init;
import static io.baetyl.gpu.deviceplugin.allocation.Given.pod;
import static io.baetyl.gpu.deviceplugin.allocation.Given.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationState;
import io.baetyl.gpu.deviceplugin.allocation.Admission;
import io.baetyl.gpu.deviceplugin.allocation.Ledger;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import io.baetyl.gpu.deviceplugin.allocation.Unit;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class WholeDeviceBooksTest {
  private static final WholeDevices DEVICES =
      new WholeDevices("nvidia.com/gpu", List.of(card(A, 29), card(B, 29)));
  private static final Instant NOW = Instant.parse("2026-11-30T07:00:00Z");

  private final Ledger ledger = new Ledger();
  private final WholeDeviceBooks books = new WholeDeviceBooks(ledger);

  private void take(NodePod pod, String container, String... ids) {
    ledger.take(new Admission(pod, container), Set.of(ids));
  }

  private List<Allocation> rows(NodePod... pods) {
    return books.rows(DEVICES, List.of(pods), List.of(), NOW);
  }

  @Test
  void eachDeviceIsARow() {
    var pod = pod("p", app("main", 2));
    take(pod, "main", A, B);

    assertThat(rows(pod))
        .extracting(Allocation::container, Allocation::device, Allocation::units, Allocation::state)
        .containsExactly(
            tuple("main", A, 1, AllocationState.RUNNING),
            tuple("main", B, 1, AllocationState.RUNNING));
  }

  @Test
  void aDeviceThatAnInitContainerPassedOnIsTheAppContainers() {
    var pod = pod("p", init("first", 2), app("main", 1));
    take(pod, "first", A, B);
    take(pod, "main", A);

    assertThat(rows(pod))
        .extracting(Allocation::device, Allocation::container)
        .containsExactlyInAnyOrder(tuple(A, "main"), tuple(B, "first"));
  }

  @Test
  void aPodOnItsWayOutIsTerminating() {
    var pod = pod("p", app("main", 1));
    take(with(pod, NodePod.Life.DELETING), "main", A);

    assertThat(rows(with(pod, NodePod.Life.DELETING)))
        .extracting(Allocation::state)
        .containsExactly(AllocationState.TERMINATING);
  }

  /** Else the scheduler, which has forgotten the pod, would send others that have to fail. */
  @Test
  void whatOnlyProcessesStillHoldIsNotOffered() {
    var pod = pod("p", app("main", 1));
    take(pod, "main", A);

    assertThat(books.units(DEVICES, List.of(pod)))
        .containsExactly(new Unit(A, true), new Unit(B, true));
    assertThat(books.units(DEVICES, List.of()))
        .as("the kubelet may have listed it")
        .containsExactly(new Unit(A, true), new Unit(B, true));

    ledger.reconcile(ledger.listingBegins(), List.of(), List.of(), "uid-p"::equals);

    assertThat(books.units(DEVICES, List.of()))
        .containsExactly(new Unit(A, false), new Unit(B, true));
  }

  /** Plain init containers are in no list of the kubelet's. */
  @Test
  void whatAnInitContainerHoldsIsOffered() {
    var pod = pod("p", init("first", 1));
    take(pod, "first", A);
    ledger.reconcile(ledger.listingBegins(), List.of(), List.of(pod), uid -> true);

    assertThat(books.units(DEVICES, List.of(pod))).contains(new Unit(A, true));
  }

  @Test
  void aHeldDeviceThatIsGoneIsStillListed() {
    var pod = pod("p", app("main", 1));
    take(pod, "main", "GPU-gone");

    assertThat(books.units(DEVICES, List.of(pod))).contains(new Unit("GPU-gone", false));
  }

  @Test
  void aForgottenPodKeepsItsDevicesWhileItsProcessesLive() {
    var rows =
        Stream.of(A, B)
            .map(
                device ->
                    new Allocation(
                        "apps", "p", "main", "uid-p", device, 1, AllocationState.RUNNING, "now"))
            .toList();

    books.takeOver(DEVICES, rows, List.of(), "uid-p"::equals);

    assertThat(ledger.holderOf(A)).contains("uid-p");
    assertThat(ledger.holderOf(B)).contains("uid-p");
  }

  @Test
  void aPodIsExpectedUntilItHasItsDevices() {
    var pod = pod("p", app("main", 1));

    assertThat(books.someExpected(DEVICES, List.of(pod))).isTrue();
    take(pod, "main", A);
    assertThat(books.someExpected(DEVICES, List.of(pod))).isFalse();
    assertThat(books.someExpected(DEVICES, List.of(pod("none")))).isFalse();
  }
}
