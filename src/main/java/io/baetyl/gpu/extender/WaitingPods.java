package io.baetyl.gpu.extender;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The pods that were refused everywhere, and what was last done for them. */
final class WaitingPods {
  /**
   * How long after a wake the room stays promised to the pod. A scheduler older than 1.33 leaves it
   * in its backoff for up to 10 s.
   */
  static final Duration PROMISE = Duration.ofSeconds(12);

  private final Map<String, Waiting> pods = new ConcurrentHashMap<>();
  private final Clock clock;
  private volatile Runnable reconsidered = () -> {};

  /**
   * A pod that waits for room.
   *
   * @param nodes the numbers of the nodes that it was refused on; null where that is not known
   * @param since when it was refused
   * @param promised the node whose room it was woken for, or null
   * @param woken when that was; null where nothing has been done since the refusal
   */
  record Waiting(PodFacts pod, BitSet nodes, Instant since, Node promised, Instant woken) {
    /** Those that were woken and never came last, then by priority, then by age. */
    static final Comparator<Waiting> ORDER =
        Comparator.<Waiting, Boolean>comparing(waiting -> waiting.woken != null)
            .thenComparing(waiting -> -(long) waiting.pod.priority())
            .thenComparing(waiting -> waiting.pod.created());

    boolean mayUse(Node node) {
      return nodes == null || nodes.get(node.number());
    }

    boolean hasPromise(Instant now) {
      return promised != null && now.isBefore(woken.plus(PROMISE));
    }
  }

  WaitingPods(Clock clock) {
    this.clock = clock;
  }

  /** Who is told that a pod has to be considered though no room has come. */
  void onReconsider(Runnable listener) {
    reconsidered = listener;
  }

  /** Remembers a pod that no node could take. */
  void refused(PodFacts pod, BitSet nodes) {
    if (!pod.demands().isEmpty()) {
      pods.put(pod.uid(), new Waiting(pod, nodes, clock.instant(), null, null));
    }
  }

  /** Forgets a pod: it has got a node, or is gone. */
  void settled(String uid) {
    pods.remove(uid);
  }

  List<Waiting> inOrder() {
    return pods.values().stream().sorted(Waiting.ORDER).toList();
  }

  boolean isEmpty() {
    return pods.isEmpty();
  }

  /** Whether some pod was woken and has not come, so that its room may serve another. */
  boolean hasBrokenPromises(Instant now) {
    return pods.values().stream().anyMatch(pod -> pod.promised != null && !pod.hasPromise(now));
  }

  void reconsider() {
    reconsidered.run();
  }

  /** Records that a pod is being woken for room on a node. */
  boolean promise(Waiting waiting, Node node) {
    return pods.replace(
        waiting.pod().uid(),
        waiting,
        new Waiting(waiting.pod(), waiting.nodes(), waiting.since(), node, clock.instant()));
  }
}
