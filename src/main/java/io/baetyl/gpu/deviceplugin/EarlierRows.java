package io.baetyl.gpu.deviceplugin;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationState;
import io.baetyl.gpu.api.v1alpha1.PluginStatus;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What pods hold since before the node's type or allocation was changed, by the account of the
 * device plugin that was there then. Not thread-safe but for {@link #held}.
 */
final class EarlierRows {
  private volatile List<Allocation> held = List.of();

  /** The rows as they are to stay in the account. */
  List<Allocation> held() {
    return held;
  }

  /**
   * Takes over what is held by another resource than is handed out now.
   *
   * @return the other rows, which are of an earlier process of this plugin
   */
  List<Allocation> takeFrom(NodeReport.Content reported, String resourceName) {
    var own = new ArrayList<Allocation>();
    var earlier = new ArrayList<Allocation>();
    for (var row : reported.allocations()) {
      var heldBy =
          Optional.ofNullable(row.resourceName())
              .or(() -> reported.plugin().map(PluginStatus::resourceName))
              .orElse(resourceName);
      if (heldBy.equals(resourceName)) {
        own.add(row);
      } else if (row.state() != AllocationState.ASSUMED) {
        earlier.add(row.heldBy(heldBy, row.state()));
      }
    }
    held = List.copyOf(earlier);
    return own;
  }

  /**
   * Drops what nobody can be using any more.
   *
   * @param alive whether a pod has processes, by its UID on the node
   */
  void release(Collection<NodePod> pods, Predicate<String> alive) {
    held =
        held.stream()
            .filter(row -> isLiving(row, pods) || alive.test(row.uidOnTheNode()))
            .map(
                row ->
                    row.heldBy(
                        row.resourceName(),
                        isLiving(row, pods)
                            ? AllocationState.RUNNING
                            : AllocationState.TERMINATING))
            .toList();
  }

  /** Whether a pod is on its way out, so that its end is waited for. */
  boolean someEnding() {
    return held.stream().anyMatch(row -> row.state() == AllocationState.TERMINATING);
  }

  private static boolean isLiving(Allocation row, Collection<NodePod> pods) {
    return pods.stream()
        .filter(pod -> pod.kubeletUid().equals(row.uidOnTheNode()))
        .anyMatch(pod -> pod.life() == NodePod.Life.LIVING);
  }
}
