package io.baetyl.gpu.deviceplugin.allocation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Who holds which units. The kubelet alone does not guarantee that a unit is out only once: it
 * forgets units while a container still runs (after a force delete), and while an Allocate is in
 * flight (when somebody lists PodResources just as another pod ends). A unit enters the ledger by
 * our own Allocate or because the kubelet lists it, and leaves when nobody can be using it.
 */
public final class Ledger {

  private static final class Entry {
    NodePod pod;
    final Map<String, Set<String>> ids = new HashMap<>();

    /** The listing that began last before the last change: only a later one can tell its end. */
    long changedAfterListing;

    /** Whether the kubelet had its units out when it was last asked. */
    boolean listed = true;

    Entry(NodePod pod) {
      this.pod = pod;
    }
  }

  private final Map<String, Entry> entries = new HashMap<>();
  private final Map<String, String> keyOfId = new HashMap<>();
  private long listings;

  /** Where the entry is that holds a unit: its {@link NodePod#key}. */
  public synchronized Optional<String> holderOf(String id) {
    return Optional.ofNullable(keyOfId.get(id));
  }

  /** The pod that holds a unit. */
  public synchronized Optional<HeldPod> podWith(String id) {
    return holderOf(id).map(entries::get).map(Ledger::copy);
  }

  public synchronized Optional<HeldPod> find(NodePod pod) {
    return Optional.ofNullable(entries.get(pod.key())).map(Ledger::copy);
  }

  /** Whether nothing is held. */
  public synchronized boolean isEmpty() {
    return entries.isEmpty();
  }

  /** All that is held, at one moment. */
  public synchronized List<HeldPod> held() {
    return entries.values().stream().map(Ledger::copy).toList();
  }

  /**
   * The holders that the kubelet knows no more, so that it takes their units for free. Plain init
   * containers are in no list of the kubelet's, so a pod that is there can be among them.
   */
  public synchronized List<HeldPod> unlisted() {
    return entries.values().stream()
        .filter(entry -> !entry.listed && !entry.pod.kubeletUid().isEmpty())
        .map(Ledger::copy)
        .toList();
  }

  /** The holders that are on their way out, or gone. */
  public List<NodePod> ending(Collection<NodePod> pods) {
    var present = new HashMap<String, NodePod>();
    pods.forEach(pod -> present.put(pod.key(), pod));
    return held().stream()
        .map(HeldPod::pod)
        .filter(
            pod -> {
              var now = present.get(pod.key());
              return now == null || now.life() != NodePod.Life.LIVING;
            })
        .toList();
  }

  /**
   * Books units for a container, in place of those it may have had.
   *
   * @return false, and nothing is booked, where another pod holds one of them
   */
  public synchronized boolean take(Admission holder, Collection<String> ids) {
    var key = holder.pod().key();
    if (ids.stream().anyMatch(id -> heldByOther(id, key))) {
      return false;
    }
    var entry = entries.computeIfAbsent(key, absent -> new Entry(holder.pod()));
    entry.pod = holder.pod();
    entry.changedAfterListing = listings;
    entry.listed = true;
    put(entry, holder.container(), ids);
    return true;
  }

  /**
   * Says that pods and listing are about to be read; to be handed to {@link #reconcile} with both.
   */
  public synchronized long listingBegins() {
    return ++listings;
  }

  /**
   * Brings the ledger in line with the kubelet's account and the pods. Units that the kubelet lists
   * are booked; the units of a pod are released when its object is gone or on its way out, the
   * kubelet lists none of them any more, and none of its processes is left.
   *
   * @param listing the number of the listing, by {@link #listingBegins}
   * @param listed the kubelet's account
   * @param pods the pods of the node
   * @param alive whether a pod has processes, by {@link NodePod#kubeletUid}
   * @return the pods whose units are free now
   */
  public synchronized List<NodePod> reconcile(
      long listing,
      List<ListedContainer> listed,
      Collection<NodePod> pods,
      Predicate<String> alive) {
    learn(pods);
    confirm(listed, pods);
    var stillListed = new HashSet<String>();
    listed.forEach(container -> stillListed.addAll(container.ids()));
    var present = new HashMap<String, NodePod>();
    pods.forEach(pod -> present.put(pod.key(), pod));

    var released = new ArrayList<NodePod>();
    for (var entry : List.copyOf(entries.values())) {
      var pod = present.get(entry.pod.key());
      boolean ending = pod == null || pod.life() != NodePod.Life.LIVING;
      if (entry.changedAfterListing < listing) {
        entry.listed =
            entry.ids.values().stream().flatMap(Set::stream).anyMatch(stillListed::contains);
      }
      if (ending
          && entry.changedAfterListing < listing
          && !entry.listed
          && (entry.pod.kubeletUid().isEmpty() || !alive.test(entry.pod.kubeletUid()))) {
        remove(entry);
        released.add(entry.pod);
      }
    }
    return released;
  }

  /** Takes over what the watch has learned of the holders since. */
  synchronized void learn(Collection<NodePod> pods) {
    for (var pod : pods) {
      if (!pod.requests().isEmpty()) {
        // A static pod may have been admitted before the API server had its mirror.
        identify(pod);
      }
      var entry = entries.get(pod.key());
      if (entry != null) {
        entry.pod = pod;
      }
    }
  }

  /** Books units that only an earlier process knew of: the kubelet lists them no more. */
  public synchronized void takeUnlisted(Admission holder, Collection<String> ids) {
    if (take(holder, ids)) {
      entries.get(holder.pod().key()).listed = false;
    }
  }

  /** Says who somebody is that was known by name only. */
  public synchronized void identify(NodePod pod) {
    var unnamed = entries.get(pod.qualifiedName());
    if (unnamed != null) {
      remove(unnamed);
      unnamed.ids.forEach((container, ids) -> take(new Admission(pod, container), ids));
    }
  }

  private void confirm(List<ListedContainer> listed, Collection<NodePod> pods) {
    var byName = new HashMap<String, NodePod>();
    pods.forEach(pod -> byName.put(pod.qualifiedName(), pod));
    for (var container : listed) {
      if (!container.ids().isEmpty()) {
        var pod = holderByIds(container).orElseGet(() -> holderByName(container, byName));
        var entry = entries.computeIfAbsent(pod.key(), absent -> new Entry(pod));
        if (!container.ids().equals(entry.ids.get(container.container()))) {
          entry.ids.remove("");
          put(
              entry,
              container.container(),
              container.ids().stream().filter(id -> !heldByOther(id, pod.key())).toList());
        }
      }
    }
  }

  /** What we handed out ourselves we know better than by a name that may be used again. */
  private Optional<NodePod> holderByIds(ListedContainer container) {
    return container.ids().stream()
        .flatMap(id -> holderOf(id).stream())
        .map(key -> entries.get(key).pod)
        .filter(pod -> !pod.kubeletUid().isEmpty())
        .findFirst();
  }

  private NodePod holderByName(ListedContainer container, Map<String, NodePod> pods) {
    // The container has no other holder with an identity, so this may only be a stand-in for it.
    for (var id : container.ids()) {
      holderOf(id).map(entries::get).ifPresent(this::remove);
    }
    return pods.getOrDefault(
        container.qualifiedPod(), NodePod.unknown(container.namespace(), container.pod()));
  }

  private boolean heldByOther(String id, String key) {
    return !keyOfId.getOrDefault(id, key).equals(key);
  }

  private void put(Entry entry, String container, Collection<String> ids) {
    entry.ids.put(container, Set.copyOf(ids));
    reindex(entry);
  }

  private void reindex(Entry entry) {
    var key = entry.pod.key();
    keyOfId.values().removeIf(key::equals);
    entry.ids.values().forEach(ids -> ids.forEach(id -> keyOfId.put(id, key)));
  }

  private void remove(Entry entry) {
    var key = entry.pod.key();
    entries.remove(key);
    keyOfId.values().removeIf(key::equals);
  }

  private static HeldPod copy(Entry entry) {
    return new HeldPod(entry.pod, Map.copyOf(entry.ids));
  }
}
