package io.baetyl.gpu.extender.waking;

import io.baetyl.gpu.extender.picture.Node;
import io.baetyl.gpu.extender.pods.PodFacts;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The pods that were refused everywhere, and what was last done for them. */
public final class WaitingPods {
  /**
   * How long after a wake the room stays promised to the pod. A scheduler older than 1.33 leaves it
   * in its backoff for up to 10 s.
   */
  static final Duration PROMISE = Duration.ofSeconds(12);

  /** Until a pod that never answers is woken again; kube-scheduler itself tries it as often. */
  static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

  private final Map<String, Waiting> pods = new ConcurrentHashMap<>();
  private final Clock clock;
  private volatile Runnable reconsidered = () -> {};

  /**
   * A pod that waits for room.
   *
   * @param nodes the numbers of the nodes that it was refused on; null where that is not known
   * @param since when it was refused
   * @param promised the node whose room it was woken for, or null where none is kept
   * @param woken when it was last woken; null where it may be woken at any time
   * @param wakes how often it was woken since the refusal
   */
  record Waiting(
      PodFacts pod, BitSet nodes, Instant since, Node promised, Instant woken, int wakes) {
    /** Those that were woken and never came last, then by priority, then by age. */
    static final Comparator<Waiting> ORDER =
        Comparator.<Waiting, Boolean>comparing(waiting -> waiting.wakes > 0)
            .thenComparing(waiting -> -(long) waiting.pod.priority())
            .thenComparing(waiting -> waiting.pod.created());

    boolean mayUse(Node node) {
      return nodes == null || nodes.get(node.number());
    }

    boolean hasPromise(Instant now) {
      return promised != null && now.isBefore(woken.plus(PROMISE));
    }

    /**
     * Whether it is time to wake the pod. One that kube-scheduler holds back for a reason of its
     * own never answers, and room that is kept for it again and again is kept from others.
     */
    boolean isDue(Instant now) {
      return woken == null || !now.isBefore(woken.plus(pause()));
    }

    private Duration pause() {
      var doubled = PROMISE.multipliedBy(1L << Math.min(wakes - 1, 10));
      return doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    }

    private Waiting promised(Node node, Instant now) {
      return new Waiting(pod, nodes, since, node, now, wakes + 1);
    }

    private Waiting lapsed(Instant now) {
      boolean broken = promised != null && !hasPromise(now);
      boolean due = woken != null && isDue(now);
      return broken || due
          ? new Waiting(pod, nodes, since, broken ? null : promised, due ? null : woken, wakes)
          : this;
    }

    private Waiting withoutPromise() {
      return new Waiting(pod, nodes, since, null, woken, wakes);
    }
  }

  public WaitingPods(Clock clock) {
    this.clock = clock;
  }

  /** Who is told that a pod has to be considered though no room has come. */
  void onReconsider(Runnable listener) {
    reconsidered = listener;
  }

  /** Remembers a pod that no node could take. */
  public void refused(PodFacts pod, BitSet nodes) {
    if (!pod.demands().isEmpty()) {
      pods.put(pod.uid(), new Waiting(pod, nodes, clock.instant(), null, null, 0));
    }
  }

  /** Forgets a pod: it has got a node, or is gone. */
  public void settled(String uid) {
    pods.remove(uid);
  }

  List<Waiting> inOrder() {
    return pods.values().stream().sorted(Waiting.ORDER).toList();
  }

  public boolean isEmpty() {
    return pods.isEmpty();
  }

  /** Whether a pod that was woken has not come: its room may serve another, or it another time. */
  public boolean hasLapsed(Instant now) {
    return pods.values().stream().anyMatch(pod -> pod.lapsed(now) != pod);
  }

  /** Gives up promises that nobody came for, and pauses that are over. */
  void lapse(Instant now) {
    pods.replaceAll((uid, pod) -> pod.lapsed(now));
  }

  public void reconsider() {
    reconsidered.run();
  }

  /**
   * Records that a pod is being woken for room on a node.
   *
   * @return the pod with its promise; empty where it has changed, or waits no more
   */
  Optional<Waiting> promise(Waiting waiting, Node node) {
    var promised = waiting.promised(node, clock.instant());
    return pods.replace(waiting.pod().uid(), waiting, promised)
        ? Optional.of(promised)
        : Optional.empty();
  }

  /** Lets others have the room that a pod was promised; it counts as woken. */
  void breakPromise(Waiting promised) {
    pods.replace(promised.pod().uid(), promised, promised.withoutPromise());
  }

  /** Undoes a promise that the pod has not been told of. */
  void takeBack(Waiting promised, Waiting before) {
    pods.replace(promised.pod().uid(), promised, before);
  }
}
