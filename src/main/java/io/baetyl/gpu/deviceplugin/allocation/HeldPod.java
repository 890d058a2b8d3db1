package io.baetyl.gpu.deviceplugin.allocation;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A pod that holds units.
 *
 * @param pod as it was last known
 * @param ids container → its units; the kubelet passes those of an init container on to later
 *     containers of the pod, so a unit can be there twice
 */
public record HeldPod(NodePod pod, Map<String, Set<String>> ids) {

  public Set<String> allIds() {
    var all = new HashSet<String>();
    ids.values().forEach(all::addAll);
    return all;
  }

  public Set<String> idsOf(String container) {
    return ids.getOrDefault(container, Set.of());
  }
}
