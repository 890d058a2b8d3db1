package io.baetyl.gpu.deviceplugin;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationState;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.PluginStatus;
import io.baetyl.gpu.deviceplugin.allocation.AllocationRow;
import io.baetyl.gpu.deviceplugin.allocation.ListedContainer;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import io.baetyl.gpu.model.UnitId;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What pods hold of this node's devices by another resource than is handed out now: since before
 * the node's type or allocation was changed. The kubelet lists it; of pods that the kubelet has
 * forgotten while their processes live on, the account of the device plugin tells that was there
 * then. Not thread-safe but for {@link #held}.
 */
final class EarlierRows {
  private volatile List<Allocation> held = List.of();

  /** The rows as they are to be in the account. */
  List<Allocation> held() {
    return held;
  }

  /**
   * Takes over the rows of another resource.
   *
   * @return the other rows, which are of an earlier process of this plugin
   */
  List<Allocation> takeFrom(NodeReport.Content reported, String resourceName) {
    var own = new ArrayList<Allocation>();
    var earlier = new ArrayList<Allocation>();
    for (var row : reported.allocations()) {
      var heldBy =
          Optional.ofNullable(row.resourceName())
              .or(() -> reported.plugin().map(PluginStatus::resourceName))
              .orElse(resourceName);
      if (heldBy.equals(resourceName)) {
        own.add(row);
      } else if (row.state() != AllocationState.ASSUMED) {
        earlier.add(row.heldBy(heldBy));
      }
    }
    held = List.copyOf(earlier);
    return own;
  }

  /**
   * Brings the rows in line with the kubelet's account, and drops what nobody can be using any
   * more.
   *
   * @param devices those of this node
   * @param alive whether a pod has processes, by its UID on the node
   */
  void reconcile(
      List<ListedContainer> listed,
      Collection<NodePod> pods,
      List<Device> devices,
      Predicate<String> alive,
      Instant now) {
    var podOf =
        pods.stream()
            .collect(Collectors.toMap(NodePod::qualifiedName, pod -> pod, (one, other) -> one));
    var rows = new LinkedHashMap<List<String>, Allocation>();
    var at = now.truncatedTo(ChronoUnit.SECONDS).toString();
    for (var container : listed) {
      var pod =
          podOf.getOrDefault(
              container.qualifiedPod(), NodePod.unknown(container.namespace(), container.pod()));
      container
          .others()
          .forEach(
              (resource, ids) ->
                  units(ids, devices)
                      .forEach(
                          (device, units) -> {
                            var row = row(pods, pod, container, resource, device, units, now);
                            rows.put(key(row), row);
                          }));
    }
    for (var row : held) {
      if (alive.test(row.uidOnTheNode())) {
        rows.putIfAbsent(key(row), row.in(state(row.uidOnTheNode(), pods), at));
      }
    }
    held = List.copyOf(rows.values());
  }

  /** Whether a pod that is on its way out holds something. */
  boolean someEnding(Collection<NodePod> pods) {
    return held.stream()
        .anyMatch(row -> state(row.uidOnTheNode(), pods) == AllocationState.TERMINATING);
  }

  /** Device → how many ids are of it; an id is a device, or a unit of one. */
  private static Map<String, Integer> units(Collection<String> ids, List<Device> devices) {
    var units = new HashMap<String, Integer>();
    for (var id : ids) {
      devices.stream()
          .map(Device::id)
          .filter(
              device ->
                  device.equals(id)
                      || UnitId.parse(id).map(UnitId::card).filter(device::equals).isPresent())
          .findFirst()
          .ifPresent(device -> units.merge(device, 1, Integer::sum));
    }
    return units;
  }

  private Allocation row(
      Collection<NodePod> pods,
      NodePod pod,
      ListedContainer container,
      String resource,
      String device,
      int units,
      Instant now) {
    return AllocationRow.of(
            pod, container.container(), device, units, AllocationState.RUNNING, null, held, now)
        .heldBy(resource);
  }

  private static List<String> key(Allocation row) {
    return List.of(row.namespace(), row.pod(), row.container(), row.device());
  }

  private static AllocationState state(String uidOnTheNode, Collection<NodePod> pods) {
    return pods.stream()
            .filter(pod -> pod.kubeletUid().equals(uidOnTheNode))
            .anyMatch(pod -> pod.life() == NodePod.Life.LIVING)
        ? AllocationState.RUNNING
        : AllocationState.TERMINATING;
  }
}
