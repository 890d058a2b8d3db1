package io.baetyl.gpu.deviceplugin.allocation;

import io.baetyl.gpu.model.ContainerRequest;
import io.baetyl.gpu.model.ContainerRequest.Kind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Finds out which container the kubelet is getting units for. Its calls name none, but the kubelet
 * lists the pod that it is admitting, and that pod has a container which asks for units and has
 * none. Kubelet adds the pods that wait to its list one by one as it admits them, so this is one
 * pod, unless containers of others are allocated again at their start; then the size and the
 * kubelet's order decide.
 */
final class WaitingPods {
  /** Static pods first, then by age: the order in which the kubelet admits after a restart. */
  private static final Comparator<NodePod> KUBELET_ORDER =
      Comparator.comparing((NodePod pod) -> !pod.isStatic())
          .thenComparing(NodePod::created)
          .thenComparing(NodePod::qualifiedName);

  private final Ledger ledger;
  private final NodePods pods;

  WaitingPods(Ledger ledger, NodePods pods) {
    this.ledger = ledger;
    this.pods = pods;
  }

  /**
   * The container that asks for this many units and has none.
   *
   * @param listed the kubelet's account; empty where it could not be had
   * @param size what the container asks for
   */
  Optional<Admission> find(Optional<List<ListedContainer>> listed, int size) {
    return listed.isPresent() ? findListed(listed.get(), size) : findWatched(size);
  }

  /** The container of one pod that asks for this many units and has none. */
  Optional<Admission> findIn(NodePod pod, Optional<List<ListedContainer>> listed, int size) {
    return waiting(
        pod,
        listed.map(list -> withIds(list, pod.qualifiedName())).orElseGet(() -> inLedger(pod)),
        size);
  }

  private Optional<Admission> findListed(List<ListedContainer> listed, int size) {
    var withoutIds = new LinkedHashMap<String, ListedContainer>();
    for (var container : listed) {
      if (container.ids().isEmpty()) {
        withoutIds.putIfAbsent(container.qualifiedPod(), container);
      }
    }
    var byName = new LinkedHashMap<String, NodePod>();
    pods.all().stream()
        .filter(pod -> withoutIds.containsKey(pod.qualifiedName()))
        .forEach(pod -> byName.put(pod.qualifiedName(), pod));
    var strangers = new ArrayList<NodePod>();
    withoutIds.forEach(
        (name, container) -> {
          if (!byName.containsKey(name)) {
            pods.read(container.namespace(), container.pod())
                .ifPresentOrElse(
                    pod -> byName.put(name, pod),
                    () -> strangers.add(NodePod.unknown(container.namespace(), container.pod())));
          }
        });

    var found = choose(byName.values(), listed, size);
    if (found.isEmpty()) {
      found = choose(again(byName.values()), listed, size);
    }
    return found
        // The file of a static pod is with the kubelet before its mirror is with the API server.
        .or(() -> strangers.stream().findFirst().map(pod -> new Admission(pod, "")))
        .or(() -> lostInit(byName.values(), listed, size));
  }

  /** Pods made anew under an old name, of which the watch still shows the old. */
  private Collection<NodePod> again(Collection<NodePod> known) {
    return known.stream()
        .filter(pod -> pod.life() != NodePod.Life.LIVING || ledger.find(pod).isPresent())
        .flatMap(
            pod ->
                pods.read(pod.namespace(), pod.name()).stream()
                    .filter(read -> !read.uid().equals(pod.uid())))
        .toList();
  }

  private Optional<Admission> choose(
      Collection<NodePod> candidates, List<ListedContainer> listed, int size) {
    return inOrder(candidates)
        .flatMap(pod -> waiting(pod, withIds(listed, pod.qualifiedName()), size).stream())
        .findFirst();
  }

  private static Stream<NodePod> inOrder(Collection<NodePod> candidates) {
    return candidates.stream()
        .filter(pod -> pod.life() != NodePod.Life.ENDED)
        .sorted(KUBELET_ORDER);
  }

  private Optional<Admission> findWatched(int size) {
    return pods.all().stream()
        .filter(pod -> pod.life() == NodePod.Life.LIVING)
        .sorted(KUBELET_ORDER)
        .flatMap(pod -> waiting(pod, inLedger(pod), size).stream())
        .findFirst();
  }

  private Optional<Admission> waiting(NodePod pod, Set<String> withIds, int size) {
    return pod.requests().stream()
        .filter(request -> request.units() == size && !withIds.contains(request.name()))
        .filter(request -> request.kind() != Kind.INIT || !initHasIds(pod, request, withIds))
        .findFirst()
        .map(request -> new Admission(pod, request.name()));
  }

  /**
   * Plain init containers are in no list of the kubelet's, and a ledger begun anew does not know
   * them. But it gets units for the containers of a pod in order, and for all before it starts one.
   */
  private boolean initHasIds(NodePod pod, ContainerRequest init, Set<String> withIds) {
    var inLedger = inLedger(pod);
    return pod.started()
        || inLedger.contains(init.name())
        || pod.requests().stream()
            .dropWhile(request -> !request.equals(init))
            .anyMatch(request -> withIds.contains(request.name()));
  }

  /** Where the kubelet lost an allocation that we remember, it asks for the same once more. */
  private static Optional<Admission> lostInit(
      Collection<NodePod> candidates, List<ListedContainer> listed, int size) {
    return inOrder(candidates)
        .filter(pod -> withIds(listed, pod.qualifiedName()).isEmpty())
        .flatMap(pod -> lostInit(pod, size).stream())
        .findFirst();
  }

  private static Optional<Admission> lostInit(NodePod pod, int size) {
    return pod.requests().stream()
        .filter(request -> request.kind() == Kind.INIT && request.units() == size)
        .findFirst()
        .map(request -> new Admission(pod, request.name()));
  }

  private Set<String> inLedger(NodePod pod) {
    return ledger.find(pod).map(held -> held.ids().keySet()).orElse(Set.of());
  }

  private static Set<String> withIds(List<ListedContainer> listed, String qualifiedPod) {
    var names = new LinkedHashSet<String>();
    for (var container : listed) {
      if (!container.ids().isEmpty() && container.qualifiedPod().equals(qualifiedPod)) {
        names.add(container.container());
      }
    }
    return names;
  }
}
