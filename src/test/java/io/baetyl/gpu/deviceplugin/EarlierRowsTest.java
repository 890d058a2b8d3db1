package io.baetyl.gpu.deviceplugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationState;
import io.baetyl.gpu.api.v1alpha1.PluginState;
import io.baetyl.gpu.api.v1alpha1.PluginStatus;
import io.baetyl.gpu.deviceplugin.allocation.ListedContainer;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EarlierRowsTest {
  private static final String BEFORE = "baidu.com/vcuda-memory";
  private static final String NOW = "nvidia.com/gpu";
  private static final NodePod POD = FakeNode.pod("p", null);

  private final EarlierRows earlier = new EarlierRows();

  private static Allocation row(AllocationState state) {
    return new Allocation("apps", "p", "main", "uid-p", "GPU-a", 4, state, "now");
  }

  private static NodeReport.Content reported(String resource, Allocation... rows) {
    return new NodeReport.Content(
        Optional.of(new PluginStatus(PluginState.STOPPING, null, resource, null, null)),
        List.of(rows));
  }

  @Test
  void rowsOfTheSameResourceAreOwn() {
    var row = row(AllocationState.RUNNING);

    assertThat(earlier.takeFrom(reported(NOW, row), NOW)).containsExactly(row);
    assertThat(earlier.held()).isEmpty();
  }

  @Test
  void rowsOfAnotherResourceStayWithItsName() {
    assertThat(earlier.takeFrom(reported(BEFORE, row(AllocationState.RUNNING)), NOW)).isEmpty();

    assertThat(earlier.held()).extracting(Allocation::resourceName).containsExactly(BEFORE);
  }

  /** The next process finds its own resource in the account, and the name with those rows alone. */
  @Test
  void theNextProcessKnowsThemByTheirName() {
    var marked = row(AllocationState.RUNNING).heldBy(BEFORE);

    earlier.takeFrom(reported(NOW, marked), NOW);

    assertThat(earlier.held()).containsExactly(marked);
  }

  @Test
  void whatWasOnlyPromisedIsForgotten() {
    earlier.takeFrom(reported(BEFORE, row(AllocationState.ASSUMED)), NOW);

    assertThat(earlier.held()).isEmpty();
  }

  private static ListedContainer listed(String... ids) {
    return new ListedContainer(
        "apps", "p", "main", Set.of(), Map.of(BEFORE, Set.of(ids), "example.com/nic", Set.of("1")));
  }

  private void reconcile(List<ListedContainer> listed, List<NodePod> pods, String... alive) {
    earlier.reconcile(
        listed, pods, List.of(FakeNode.card("GPU-a", 29)), Set.of(alive)::contains, Instant.EPOCH);
  }

  /** Whatever the status says: the GpuNode may have been made anew. */
  @Test
  void whatTheKubeletListsByAnotherResourceIsHeldSinceBefore() {
    reconcile(List.of(listed("GPU-a:0", "GPU-a:1", "GPU-x:0")), List.of(POD), "uid-p");

    assertThat(earlier.held())
        .extracting(
            Allocation::resourceName, Allocation::device, Allocation::units, Allocation::uid)
        .containsExactly(tuple(BEFORE, "GPU-a", 2, "uid-p"));
  }

  @Test
  void anIdThatIsADeviceCountsAsOne() {
    reconcile(List.of(listed("GPU-a")), List.of(POD), "uid-p");

    assertThat(earlier.held()).extracting(Allocation::units).containsExactly(1);
  }

  @Test
  void aPodThatTheKubeletHasForgottenHoldsUntilItsProcessesAreGone() {
    earlier.takeFrom(reported(BEFORE, row(AllocationState.RUNNING)), NOW);

    reconcile(List.of(), List.of(), "uid-p");
    assertThat(earlier.held())
        .extracting(Allocation::state)
        .containsExactly(AllocationState.TERMINATING);
    assertThat(earlier.someEnding(List.of())).isTrue();

    reconcile(List.of(), List.of());
    assertThat(earlier.held()).isEmpty();
  }

  @Test
  void whatTheKubeletListsIsHeldAlsoWithoutProcesses() {
    reconcile(List.of(listed("GPU-a:0")), List.of(POD));

    assertThat(earlier.held()).hasSize(1);
    assertThat(earlier.someEnding(List.of(POD))).isFalse();
  }
}
