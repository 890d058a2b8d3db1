package io.baetyl.gpu.metrics.reporting;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.RuntimeFinding;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.AllocationState;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileSpec;
import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.api.v1alpha1.Sharing;
import io.baetyl.gpu.metrics.watching.HandClock;
import io.baetyl.gpu.metrics.watching.Survey;
import io.baetyl.gpu.metrics.watching.Survey.Driver;
import io.baetyl.gpu.metrics.watching.WatchedDevice;
import io.baetyl.gpu.metrics.watching.WatchedDevice.Presence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ReporterTest {
  private final HandClock clock = new HandClock();
  private final NodeView view = new NodeView();
  private final List<GpuNodeStatus> written = new ArrayList<>();
  private Sharing sharing;
  private List<Allocation> allocations = List.of();
  private int version;
  private boolean apiServerIsAway;
  private RuntimeFinding runtime = new RuntimeFinding(true, "CdiSpecs", "all there");
  private Survey survey = survey(Health.HEALTHY, Presence.PRESENT);
  private final Reporter reporter =
      new Reporter(view, () -> survey, (type, ids) -> runtime, this::apply, clock);

  private GpuNode apply(GpuNode fresh) {
    if (apiServerIsAway) {
      throw new IllegalStateException("connection refused");
    }
    assertThat(fresh.getSpec()).isNull();
    written.add(fresh.getStatus());
    return server(sharing, allocations);
  }

  /** The node with the fields of the others, and with ours as they were written last. */
  private GpuNode server(Sharing inForce, List<Allocation> held) {
    sharing = inForce;
    allocations = held;
    var ours = written.isEmpty() ? GpuNodeStatus.EMPTY : written.getLast();
    var node = new GpuNode();
    node.getMetadata().setName("edge-1");
    node.getMetadata().setUid("uid");
    node.getMetadata().setGeneration(1L);
    version++;
    node.getMetadata().setResourceVersion(Integer.toString(version));
    node.setStatus(
        new GpuNodeStatus(
            ours.conditions(),
            null,
            null,
            sharing == null ? null : AllocationMode.SHARED,
            null,
            sharing,
            null,
            ours.detected(),
            ours.devices(),
            null,
            allocations,
            null,
            null));
    return node;
  }

  private static Survey survey(Health health, Presence presence) {
    var card =
        new WatchedDevice(
            new FoundDevice("card", 0, "/dev/nvidia0", "Tesla P4", null, 7611),
            health,
            health == Health.HEALTHY ? null : "lost",
            Optional.empty(),
            true,
            presence);
    return new Survey(AcceleratorType.NVIDIA, new Driver.Answering(), true, List.of(card));
  }

  private void reconcileFor(Duration time) {
    for (long second = 0; second < time.toSeconds(); second++) {
      reporter.reconcile();
      clock.pass(Duration.ofSeconds(1));
    }
  }

  @Test
  void writesOnceWhatDoesNotChange() {
    view.see(server(null, List.of()));

    reconcileFor(Duration.ofSeconds(60));

    assertThat(written).hasSize(1);
    assertThat(written.getFirst().devices()).extracting(Device::id).containsExactly("card");
    assertThat(written.getFirst().conditions()).hasSize(2);
    assertThat(written.getFirst().allocation()).isNull();
  }

  @Test
  void writesNothingWithoutAGpuNode() {
    reconcileFor(Duration.ofSeconds(60));

    assertThat(written).isEmpty();
  }

  @Test
  void writesNothingBeforeEveryDeviceIsJudged() {
    view.see(server(null, List.of()));
    survey = new Survey(AcceleratorType.NVIDIA, new Driver.Answering(), false, List.of());

    reconcileFor(Duration.ofSeconds(60));

    assertThat(written).isEmpty();
  }

  @Test
  void writesHealthAtOnceAndWordsLater() {
    view.see(server(null, List.of()));
    reconcileFor(Duration.ofSeconds(1));
    survey = survey(Health.UNHEALTHY, Presence.PRESENT);

    reporter.reconcile();
    assertThat(written).hasSize(2);
    assertThat(written.getLast().devices().getFirst().health()).isEqualTo(Health.UNHEALTHY);

    runtime = new RuntimeFinding(true, "CdiSpecs", "in other words");
    reconcileFor(Duration.ofSeconds(9));
    assertThat(written).hasSize(2);
    reconcileFor(Duration.ofSeconds(2));
    assertThat(written).hasSize(3);
  }

  @Test
  void keepsTheTransitionTimeOfWhatHasNotFlipped() {
    view.see(server(null, List.of()));
    reconcileFor(Duration.ofSeconds(30));
    runtime = new RuntimeFinding(false, "Not", "do this");

    reporter.reconcile();

    assertThat(written.getLast().conditions())
        .extracting(condition -> condition.type() + " " + condition.lastTransitionTime())
        .containsExactly(
            "AcceleratorFound 2026-11-30T07:00:00Z", "RuntimeReady 2026-11-30T07:00:30Z");
  }

  @Test
  void catchesUpWhenTheApiServerIsBack() {
    view.see(server(null, List.of()));
    apiServerIsAway = true;
    reconcileFor(Duration.ofSeconds(60));
    assertThat(written).isEmpty();
    apiServerIsAway = false;

    reconcileFor(Duration.ofSeconds(5));

    assertThat(written).hasSize(1);
  }

  @Test
  void aCardThatIsGoneStaysWhileAPodHoldsIt() {
    var holding =
        new Allocation("shop", "pod", "main", "uid", "card", 4, AllocationState.RUNNING, "now");
    survey = survey(Health.UNHEALTHY, Presence.GONE);
    view.see(server(null, List.of(holding)));

    reporter.reconcile();
    assertThat(written.getLast().devices()).hasSize(1);

    view.see(server(null, List.of()));
    reporter.reconcile();
    assertThat(written.getLast().devices()).isEmpty();
  }

  @Test
  void unitsComeWithTheRulesInForce() {
    view.see(server(null, List.of()));
    reporter.reconcile();
    assertThat(written.getLast().devices().getFirst().units()).isNull();
    view.see(server(Sharing.of(GpuShareProfileSpec.EMPTY), List.of()));

    reporter.reconcile();

    assertThat(written.getLast().devices().getFirst().units()).isEqualTo(29);
  }
}
