package io.baetyl.gpu.extender.picture;

import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.api.v1alpha1.PluginState;
import io.baetyl.gpu.api.v1alpha1.PluginStatus;
import io.baetyl.gpu.model.CardSums;
import io.baetyl.gpu.model.EarlierHolders;
import io.baetyl.gpu.model.Holding;
import io.baetyl.gpu.model.ShareRules;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What counts of a GpuNode's status.
 *
 * @param unusable why no pod can be sent there; null where one can
 * @param rules by which the node shares; null where it does not
 * @param devices the cards, with their units by these rules
 * @param held what the device plugin says that pods hold, pods included that have left the API
 * @param listed the pods in {@code held}
 */
record NodeFacts(
    String unusable,
    ShareRules rules,
    List<Device> devices,
    List<Holding> held,
    Set<String> listed) {
  /** The facts of a node that has no GpuNode. */
  static final NodeFacts NO_GPU_NODE =
      new NodeFacts(
          "the node has no GpuNode: make one with allocation: Shared to share its cards",
          null,
          List.of(),
          List.of(),
          Set.of());

  static NodeFacts of(GpuNode node) {
    var status = node.statusOrEmpty();
    var sharing = status.sharingAsCounted();
    var rules = sharing == null ? null : ShareRules.of(sharing);
    var held = CardSums.holdings(status.allocations());
    var devices = EarlierHolders.withhold(status.devices(), status.allocations());
    return new NodeFacts(
        unusable(node),
        rules,
        rules == null ? devices : devices.stream().map(rules::divide).toList(),
        held,
        held.stream().map(Holding::podUid).collect(Collectors.toUnmodifiableSet()));
  }

  /** One that hands the cards out in another way may not have left yet. */
  private static boolean counts(PluginStatus plugin, GpuNodeStatus status) {
    return plugin.resourceName() == null
        || plugin.resourceName().equals(status.sharingAsCounted().resourceName());
  }

  private static String unusable(GpuNode node) {
    var status = node.statusOrEmpty();
    if (status.allocation() != AllocationMode.SHARED) {
      return "the node does not share its cards: set allocation: Shared on its GpuNode";
    }
    if (status.sharing() == null) {
      return "the node has no GpuShareProfile that it can share by: see the conditions of its GpuNode";
    }
    var plugin = status.plugin();
    if (plugin == null || plugin.state() != PluginState.SERVING || !counts(plugin, status)) {
      return "the device plugin of the node does not serve: see its GpuNode";
    }
    if (status.devices().isEmpty()) {
      return "no card has been found on the node: see its GpuNode";
    }
    return null;
  }
}
