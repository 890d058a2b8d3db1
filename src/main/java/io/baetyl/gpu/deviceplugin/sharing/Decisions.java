package io.baetyl.gpu.deviceplugin.sharing;

import io.baetyl.gpu.api.v1alpha1.CardDecision;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which card each container of a pod is to get: what was decided when the pod was bound, unless
 * this plugin had to decide anew. Its own word lasts as long as the pod, so an annotation that
 * somebody edits later changes nothing.
 */
final class Decisions {
  private final Map<String, CardDecision> ours = new HashMap<>();

  /** A pod can be admitted before the watch has delivered it. */
  private final Set<String> seen = new HashSet<>();

  synchronized Optional<CardDecision> of(NodePod pod) {
    return Optional.ofNullable(ours.get(pod.key())).or(pod::decision);
  }

  /** Decides anew for some containers of a pod. */
  synchronized CardDecision decide(NodePod pod, Map<String, String> cards) {
    var all = new LinkedHashMap<String, String>();
    of(pod).ifPresent(before -> all.putAll(before.cards()));
    all.putAll(cards);
    var decision = new CardDecision(pod.uid(), all);
    ours.put(pod.key(), decision);
    return decision;
  }

  /** Forgets the pods that were among the pods of the node and are no more. */
  synchronized void retain(Collection<NodePod> pods) {
    var present = pods.stream().map(NodePod::key).collect(Collectors.toSet());
    ours.keySet().removeIf(key -> seen.contains(key) && !present.contains(key));
    seen.clear();
    seen.addAll(present);
  }
}
