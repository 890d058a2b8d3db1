package io.baetyl.gpu.extender.picture;

import io.baetyl.gpu.extender.picture.NodeView.Awaited;
import io.baetyl.gpu.extender.pods.PodFacts;
import io.baetyl.gpu.model.Holding;
import io.baetyl.gpu.model.PodDemand;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A node: the facts about it, which change under its own lock, and the view that follows from them,
 * which everybody reads without one.
 */
public final class Node {
  /**
   * How long the cards of a pod are kept that was bound, has vanished, and was never listed by the
   * device plugin: its processes may have begun, and the plugin writes within a second.
   */
  public static final Duration UNLISTED_PODS_LINGER = Duration.ofSeconds(2);

  private final String name;
  private final char[] characters;
  private final byte[] json;
  private final int hash;
  private final int number;

  private NodeFacts facts = NodeFacts.NO_GPU_NODE;
  private final Map<String, PodFacts> pods = new HashMap<>();
  private final Map<String, Reservation> reservations = new HashMap<>();
  private final Set<String> everListed = new HashSet<>();
  private final Map<String, Lingering> lingering = new HashMap<>();
  private final Map<String, PodFacts> awaited = new HashMap<>();
  private volatile NodeView view = NodeView.NO_GPU_NODE;

  private record Lingering(List<Holding> held, Instant until) {}

  Node(String name, int number) {
    this.name = name;
    this.number = number;
    this.characters = name.toCharArray();
    this.json = ('"' + name + '"').getBytes(StandardCharsets.UTF_8);
    this.hash = NodeIndex.hash(characters, 0, characters.length);
  }

  public String name() {
    return name;
  }

  /** The name in quotes, ready to be written. */
  public byte[] json() {
    return json;
  }

  int hash() {
    return hash;
  }

  /** A small number of its own, for sets of nodes as bits. */
  public int number() {
    return number;
  }

  boolean isNamed(char[] text, int offset, int length) {
    return Arrays.equals(characters, 0, characters.length, text, offset, offset + length);
  }

  public NodeView view() {
    return view;
  }

  synchronized boolean isEmpty() {
    return facts == NodeFacts.NO_GPU_NODE
        && pods.isEmpty()
        && reservations.isEmpty()
        && lingering.isEmpty()
        && awaited.isEmpty();
  }

  /** Takes over what the GpuNode says. */
  synchronized void describe(NodeFacts newFacts) {
    facts = newFacts;
    newFacts.listed().stream().filter(pods::containsKey).forEach(everListed::add);
    lingering.keySet().removeAll(newFacts.listed());
    refresh();
  }

  /** Takes over a pod that is bound here. What was reserved for it is now its own. */
  synchronized void put(PodFacts pod) {
    pods.put(pod.uid(), pod);
    reservations.remove(pod.uid());
    awaited.remove(pod.uid());
    if (facts.listed().contains(pod.uid())) {
      everListed.add(pod.uid());
    }
    refresh();
  }

  /** Forgets a pod that is gone, or has ended; what the device plugin lists for it still counts. */
  synchronized void remove(String uid, Instant now) {
    var pod = pods.remove(uid);
    reservations.remove(uid);
    boolean listed = everListed.remove(uid) || facts.listed().contains(uid);
    if (pod != null && !listed) {
      var held = heldByDecision(pod);
      if (!held.isEmpty()) {
        lingering.put(uid, new Lingering(held, now.plus(UNLISTED_PODS_LINGER)));
      }
    }
    refresh();
  }

  /** Leaves room for a pod that others are being ended for. */
  synchronized void await(PodFacts pod) {
    awaited.put(pod.uid(), pod);
    refresh();
  }

  synchronized void awaitNoMore(String uid) {
    if (awaited.remove(uid) != null) {
      refresh();
    }
  }

  synchronized void reserve(Reservation reservation) {
    reservations.put(reservation.pod().uid(), reservation);
    refresh();
  }

  synchronized void release(String uid) {
    if (reservations.remove(uid) != null) {
      refresh();
    }
  }

  public synchronized Collection<PodFacts> pods() {
    return List.copyOf(pods.values());
  }

  synchronized boolean lingers() {
    return !lingering.isEmpty();
  }

  /** Lets go of what has lingered long enough. */
  synchronized void expire(Instant now) {
    if (lingering.values().removeIf(kept -> !kept.until().isAfter(now))) {
      refresh();
    }
  }

  private void refresh() {
    if (facts.unusable() != null) {
      view = NodeView.unusable(facts.unusable());
    } else {
      var now = NodeView.of(facts.rules(), facts.devices(), holdings());
      view = awaited.isEmpty() ? now : now.awaiting(awaited(now));
    }
  }

  /** Where those that are to come will be. Those that leave for them are still in the view. */
  private List<Awaited> awaited(NodeView now) {
    var room = now.keeping(holding -> !isLeaving(holding.podUid()));
    var placed = new ArrayList<Awaited>();
    for (var pod : awaited.values().stream().sorted(PodFacts.FIRST_SERVED).toList()) {
      if (!reservations.containsKey(pod.uid())) {
        var held = room.place(pod).orElse(List.of());
        room = room.adding(held);
        placed.add(new Awaited(pod, held));
      }
    }
    return List.copyOf(placed);
  }

  private boolean isLeaving(String uid) {
    var pod = pods.get(uid);
    return pod == null ? !reservations.containsKey(uid) : pod.ending();
  }

  /**
   * Of each pod and card, the greater of what its decision and its spec say and of what the device
   * plugin lists: the one comes first when a pod arrives, the other goes last when it leaves.
   */
  private List<Holding> holdings() {
    var decided = new ArrayList<Holding>();
    pods.values().forEach(pod -> decided.addAll(heldByDecision(pod)));
    reservations.values().forEach(reservation -> decided.addAll(reservation.held()));
    lingering.values().forEach(kept -> decided.addAll(kept.held()));
    var sums = sums(decided);
    sums(facts.held()).forEach((card, units) -> sums.merge(card, units, Math::max));
    var holdings = new ArrayList<Holding>(sums.size());
    sums.forEach((card, units) -> holdings.add(new Holding(card.podUid(), card.card(), units)));
    return holdings;
  }

  private record PodCard(String podUid, String card) {}

  private static Map<PodCard, Integer> sums(List<Holding> holdings) {
    var sums = new HashMap<PodCard, Integer>();
    for (var holding : holdings) {
      sums.merge(new PodCard(holding.podUid(), holding.card()), holding.units(), PodDemand::plus);
    }
    return sums;
  }

  private List<Holding> heldByDecision(PodFacts pod) {
    return facts.rules() == null
        ? List.of()
        : PodFacts.held(pod.uid(), pod.demands().get(facts.rules().resourceName()), pod.decision());
  }

  @Override
  public String toString() {
    return name;
  }
}
