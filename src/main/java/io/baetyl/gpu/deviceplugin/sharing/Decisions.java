package io.baetyl.gpu.deviceplugin.sharing;

import io.baetyl.gpu.api.v1alpha1.CardDecision;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Which card each container of a pod is to get: what was decided when the pod was bound, unless
 * this plugin had to decide anew. Its own word lasts as long as the pod, so an annotation that
 * somebody edits later changes nothing.
 */
final class Decisions {
  /** A pod can be admitted before the watch has delivered it. */
  private static final Duration WATCH_LAG = Duration.ofSeconds(10);

  private record Made(CardDecision decision, long nanos) {}

  private final Map<String, Made> ours = new HashMap<>();
  private final LongSupplier nanoTime;

  Decisions(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  synchronized Optional<CardDecision> of(NodePod pod) {
    return Optional.ofNullable(ours.get(pod.key())).map(Made::decision).or(pod::decision);
  }

  /** Decides anew for some containers of a pod. */
  synchronized CardDecision decide(NodePod pod, Map<String, String> cards) {
    var all = new LinkedHashMap<String, String>();
    of(pod).ifPresent(before -> all.putAll(before.cards()));
    all.putAll(cards);
    var decision = new CardDecision(pod.uid(), all);
    ours.put(pod.key(), new Made(decision, nanoTime.getAsLong()));
    return decision;
  }

  /** Forgets all pods but these, and those that may only not be among them yet. */
  synchronized void retain(Collection<NodePod> pods) {
    var present = pods.stream().map(NodePod::key).collect(Collectors.toSet());
    long now = nanoTime.getAsLong();
    ours.entrySet()
        .removeIf(
            made ->
                !present.contains(made.getKey())
                    && now - made.getValue().nanos() > WATCH_LAG.toNanos());
  }
}
