package io.baetyl.gpu.deviceplugin.wholedevices;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.deviceplugin.allocation.Admission;
import io.baetyl.gpu.deviceplugin.allocation.AllocationRow;
import io.baetyl.gpu.deviceplugin.allocation.Books;
import io.baetyl.gpu.deviceplugin.allocation.HeldPod;
import io.baetyl.gpu.deviceplugin.allocation.Ledger;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import io.baetyl.gpu.deviceplugin.allocation.Unit;
import io.baetyl.gpu.model.ContainerRequest.Kind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The ledger of whole devices. */
final class WholeDeviceBooks implements Books<WholeDevices> {
  private final Ledger ledger;

  WholeDeviceBooks(Ledger ledger) {
    this.ledger = ledger;
  }

  /**
   * A device that a pod holds of which only processes are left is not to be handed out: the
   * scheduler, which does not know of them, would send pods to it that have to fail. One that a pod
   * holds and that is gone stays as well, since the kubelet takes what it does not know for free.
   */
  @Override
  public List<Unit> units(WholeDevices inventory, Collection<NodePod> pods) {
    var present = keys(pods);
    var orphaned = new HashSet<String>();
    var units = new LinkedHashMap<String, Unit>();
    for (var held : ledger.unlisted()) {
      if (!present.contains(held.pod().key())) {
        orphaned.addAll(held.allIds());
      }
    }
    for (var device : inventory.devices()) {
      boolean healthy = device.canBeHandedOut() && !orphaned.contains(device.id());
      units.put(device.id(), new Unit(device.id(), healthy));
    }
    ledger.held().stream()
        .flatMap(held -> held.allIds().stream())
        .sorted()
        .forEach(id -> units.putIfAbsent(id, new Unit(id, false)));
    return List.copyOf(units.values());
  }

  @Override
  public List<Allocation> rows(
      WholeDevices inventory, Collection<NodePod> pods, List<Allocation> before, Instant now) {
    var present = keys(pods);
    return ledger.held().stream()
        // A static pod gets its UID at the API server with its mirror; until then it has no key.
        .filter(held -> !held.pod().uid().isEmpty())
        .flatMap(held -> rows(held, present, before, now))
        .sorted(AllocationRow.IN_ORDER)
        .toList();
  }

  /** The kubelet passes the devices of an init container on, so the last to have one counts. */
  private static Stream<Allocation> rows(
      HeldPod held, Set<String> present, List<Allocation> before, Instant now) {
    var state = AllocationRow.stateOf(held.pod(), present);
    var told = new HashSet<String>();
    var rows = new ArrayList<Allocation>();
    for (var container : lastFirst(held)) {
      for (var id : held.idsOf(container)) {
        if (told.add(id)) {
          rows.add(AllocationRow.of(held.pod(), container, id, 1, state, null, before, now));
        }
      }
    }
    return rows.stream();
  }

  private static List<String> lastFirst(HeldPod held) {
    return held.ids().keySet().stream()
        .sorted()
        .sorted((one, other) -> Boolean.compare(isInit(held.pod(), one), isInit(held.pod(), other)))
        .toList();
  }

  private static boolean isInit(NodePod pod, String container) {
    return pod.request(container).filter(request -> request.kind() == Kind.INIT).isPresent();
  }

  @Override
  public boolean someExpected(WholeDevices inventory, Collection<NodePod> pods) {
    return pods.stream()
        .filter(pod -> pod.life() == NodePod.Life.LIVING)
        .anyMatch(
            pod ->
                pod.requests().stream()
                    .filter(request -> request.kind() != Kind.INIT)
                    .anyMatch(request -> !has(pod, request.name())));
  }

  private boolean has(NodePod pod, String container) {
    return ledger.find(pod).filter(held -> !held.idsOf(container).isEmpty()).isPresent();
  }

  /** Nobody has said anything of a pod that could be wrong. */
  @Override
  public void correct(Collection<NodePod> pods) {}

  /**
   * Pods that the kubelet does not list (any more) while their processes live on: those that were
   * deleted by force, and those whose init containers run.
   */
  @Override
  public void takeOver(
      WholeDevices inventory,
      List<Allocation> reported,
      Collection<NodePod> pods,
      Predicate<String> alive) {
    var devicesOf = new LinkedHashMap<Container, Set<String>>();
    for (var row : reported) {
      if (ledger.holderOf(row.device()).isEmpty() && alive.test(row.uidOnTheNode())) {
        devicesOf
            .computeIfAbsent(
                new Container(holder(row, pods), row.container()), key -> new HashSet<>())
            .add(row.device());
      }
    }
    devicesOf.forEach(
        (container, devices) -> {
          ledger.identify(container.pod());
          // What is taken stands for all that the container has.
          ledger
              .find(container.pod())
              .ifPresent(held -> devices.addAll(held.idsOf(container.name())));
          ledger.takeUnlisted(new Admission(container.pod(), container.name()), devices);
        });
  }

  private record Container(NodePod pod, String name) {}

  private static NodePod holder(Allocation row, Collection<NodePod> pods) {
    return pods.stream()
        .filter(candidate -> candidate.kubeletUid().equals(row.uidOnTheNode()))
        .findFirst()
        .orElseGet(() -> NodePod.gone(row));
  }

  private static Set<String> keys(Collection<NodePod> pods) {
    return pods.stream().map(NodePod::key).collect(Collectors.toSet());
  }
}
