package io.baetyl.gpu.deviceplugin.allocation;

import io.baetyl.gpu.model.UnitId;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A pod that holds units.
 *
 * @param pod as it was last known
 * @param ids container → its units; the kubelet passes those of an init container on to later
 *     containers of the pod, so a unit can be there twice
 */
record HeldPod(NodePod pod, Map<String, Set<String>> ids) {

  Set<String> allIds() {
    var all = new HashSet<String>();
    ids.values().forEach(all::addAll);
    return all;
  }

  Set<String> idsOf(String container) {
    return ids.getOrDefault(container, Set.of());
  }

  /** The card that one of these containers has units of. */
  Optional<String> cardOf(Collection<String> containers) {
    return containers.stream()
        .flatMap(container -> idsOf(container).stream())
        .flatMap(id -> UnitId.parse(id).stream())
        .map(UnitId::card)
        .findFirst();
  }
}
