package io.baetyl.gpu.extender.picture;

import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.extender.pods.PodFacts;
import java.time.Clock;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * All cards and who holds them, kept by watch events rather than made per call. Events come one at
 * a time per kind and are taken one at a time altogether; readers and binds never wait for them but
 * at the node they touch.
 */
public final class Picture {
  private final NodeIndex nodes = new NodeIndex();
  private final Map<String, PodFacts> pods = new ConcurrentHashMap<>();
  private final Map<String, Reservation> reservations = new ConcurrentHashMap<>();
  private final AtomicLong changes = new AtomicLong();
  private final Clock clock;
  private volatile Consumer<Node> roomListener = node -> {};
  private int nextNumber;

  public Picture(Clock clock) {
    this.clock = clock;
  }

  /** Who is told of a node on which room may have become free. */
  public void onRoom(Consumer<Node> listener) {
    roomListener = listener;
  }

  /** Grows with every event that may have made room. */
  public long changes() {
    return changes.get();
  }

  /** The node of a name, or null. */
  public Node node(char[] text, int offset, int length) {
    return nodes.find(text, offset, length);
  }

  /** The node of a name, or null. */
  public Node node(String name) {
    return nodes.find(name);
  }

  public List<Node> nodes() {
    return nodes.all();
  }

  /** The pod of a uid that is alive by the watch, or null. */
  public PodFacts pod(String uid) {
    return pods.get(uid);
  }

  /** The living pods that ask for an extended resource. */
  public Collection<PodFacts> pods() {
    return pods.values();
  }

  public synchronized void put(PodFacts pod) {
    if (pod.ended()) {
      remove(pod.uid());
      return;
    }
    var before = pods.put(pod.uid(), pod);
    if (pod.node() != null) {
      // A watch repeats a pod on each change of its status, which changes nothing here.
      if (before == null || !before.equals(pod)) {
        change(nodeOrNew(pod.node()), node -> node.put(pod));
      }
      // On its node the pod itself has taken the place of the reservation; on another it is moot.
      release(pod.uid());
    }
    await(before, pod);
  }

  public synchronized void remove(String uid) {
    var pod = pods.remove(uid);
    await(pod, null);
    if (pod != null && pod.node() != null) {
      change(nodeOrNew(pod.node()), node -> node.remove(uid, clock.instant()));
      dropIfEmpty(pod.node());
    }
    release(uid);
  }

  /** Has room left for a pod where kube-scheduler makes some, and no more where it has. */
  private void await(PodFacts before, PodFacts pod) {
    var old = before == null ? null : before.awaitedOn();
    var current = pod == null ? null : pod.awaitedOn();
    if (current != null && !pod.equals(before)) {
      change(nodeOrNew(current), node -> node.await(pod));
    }
    if (old != null && !old.equals(current)) {
      change(nodeOrNew(old), node -> node.awaitNoMore(before.uid()));
      dropIfEmpty(old);
    }
  }

  public synchronized void put(GpuNode gpuNode) {
    var facts = NodeFacts.of(gpuNode);
    change(nodeOrNew(gpuNode.getMetadata().getName()), node -> node.describe(facts));
  }

  public synchronized void removeGpuNode(String name) {
    change(nodeOrNew(name), node -> node.describe(NodeFacts.NO_GPU_NODE));
    dropIfEmpty(name);
  }

  /** Lets go of what was kept only for a while. */
  public void expire(Instant now) {
    for (var node : nodes.all()) {
      if (node.lingers()) {
        change(node, lingering -> lingering.expire(now));
        dropIfEmpty(node.name());
      }
    }
  }

  /** Changes a node; tells whoever waits for room where some has become free. */
  void change(Node node, Consumer<Node> change) {
    var before = node.view();
    change.accept(node);
    var after = node.view();
    if (before != after && after.unusable() == null && hasMoreRoom(before, after)) {
      changes.incrementAndGet();
      roomListener.accept(node);
    }
  }

  /**
   * Keeps cards for a pod that were decided just now, under the lock of their node.
   *
   * @return the reservation in force for the pod: this one, or an earlier one
   */
  public Reservation reserve(Reservation reservation) {
    var known = reservations.putIfAbsent(reservation.pod().uid(), reservation);
    if (known != null) {
      return known;
    }
    reservation.node().reserve(reservation);
    return reservation;
  }

  /** What is reserved for a pod, or null. */
  public Reservation reservation(String uid) {
    return reservations.get(uid);
  }

  public Collection<Reservation> reservations() {
    return reservations.values();
  }

  /** Gives back what is reserved for a pod, if anything is. */
  void release(String uid) {
    var reservation = reservations.get(uid);
    if (reservation != null) {
      release(reservation);
    }
  }

  /** Gives back a reservation, unless that was done before. */
  public void release(Reservation reservation) {
    if (reservations.remove(reservation.pod().uid(), reservation)) {
      change(reservation.node(), node -> node.release(reservation.pod().uid()));
      dropIfEmpty(reservation.node().name());
    }
  }

  /** Under the lock of all that adds to nodes, so that none is dropped that has just been found. */
  private synchronized void dropIfEmpty(String name) {
    var node = nodes.find(name);
    if (node != null && node.isEmpty()) {
      nodes.remove(node);
    }
  }

  private static boolean hasMoreRoom(NodeView before, NodeView after) {
    if (!after.rules().equals(before.rules())) {
      return true;
    }
    if (!after.awaited().containsAll(before.awaited())) {
      return true;
    }
    for (int card = 0; card < after.cards().size(); card++) {
      int known = before.cards().indexOf(after.cards().id(card));
      if (known < 0
          || after.cards().free(card) > before.cards().free(known)
          || (after.cards().allocated(card) == 0 && before.cards().allocated(known) > 0)) {
        return true;
      }
    }
    return false;
  }

  private Node nodeOrNew(String name) {
    var node = nodes.find(name);
    if (node == null) {
      node = new Node(name, nextNumber++);
      nodes.add(node);
    }
    return node;
  }
}
