package io.baetyl.gpu.deviceplugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationState;
import io.baetyl.gpu.api.v1alpha1.PluginState;
import io.baetyl.gpu.api.v1alpha1.PluginStatus;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import java.util.List;
import java.util.Optional;
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
        Optional.of(new PluginStatus(PluginState.STOPPING, null, resource, null)), List.of(rows));
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
    var marked = row(AllocationState.RUNNING).heldBy(BEFORE, AllocationState.RUNNING);

    earlier.takeFrom(reported(NOW, marked), NOW);

    assertThat(earlier.held()).containsExactly(marked);
  }

  @Test
  void whatWasOnlyPromisedIsForgotten() {
    earlier.takeFrom(reported(BEFORE, row(AllocationState.ASSUMED)), NOW);

    assertThat(earlier.held()).isEmpty();
  }

  @Test
  void aPodHoldsUntilItsProcessesAreGone() {
    earlier.takeFrom(reported(BEFORE, row(AllocationState.RUNNING)), NOW);

    earlier.release(List.of(POD), uid -> false);
    assertThat(earlier.held()).hasSize(1);
    assertThat(earlier.someEnding()).isFalse();

    earlier.release(List.of(), "uid-p"::equals);
    assertThat(earlier.someEnding()).isTrue();

    earlier.release(List.of(), uid -> false);
    assertThat(earlier.held()).isEmpty();
  }
}
