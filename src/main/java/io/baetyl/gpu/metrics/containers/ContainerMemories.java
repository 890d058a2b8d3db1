package io.baetyl.gpu.metrics.containers;

import io.baetyl.gpu.accelerator.Sample.ProcessUse;
import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.model.EarlierHolders;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/** Joins what containers asked for with what processes hold. Pure but for the lookup of owners. */
public final class ContainerMemories {
  /** What has a series of its own. A pod can have the name of one that is still going. */
  private record Key(String namespace, String pod, String container, String uuid) {}

  private ContainerMemories() {}

  /**
   * One entry per container and device.
   *
   * @param allocations from the GpuNode's status
   * @param bytesPerUnit empty where the profile in force is not known
   * @param processes by device, as the driver lists them
   * @param owners the pod's UID on the node by a process's id; empty where the process is in no
   *     pod, or gone
   */
  public static List<ContainerMemory> of(
      List<Allocation> allocations,
      OptionalLong bytesPerUnit,
      Map<String, List<ProcessUse>> processes,
      IntFunction<Optional<String>> owners) {
    var used = usedByPodAndDevice(processes, owners);
    var containersOfPod =
        allocations.stream()
            .collect(
                Collectors.groupingBy(
                    allocation -> new PodDevice(allocation.uidOnTheNode(), allocation.device()),
                    Collectors.counting()));
    var memories = new LinkedHashMap<Key, ContainerMemory>();
    for (var allocation : allocations) {
      var podDevice = new PodDevice(allocation.uidOnTheNode(), allocation.device());
      // Of several containers of a pod on one device nobody can say whose the process is without
      // knowing the container's name, which neither the driver nor the cgroup tells.
      var usedBytes =
          containersOfPod.get(podDevice) == 1 && used.containsKey(podDevice)
              ? OptionalLong.of(used.get(podDevice))
              : OptionalLong.empty();
      var memory =
          new ContainerMemory(
              allocation.namespace(),
              allocation.pod(),
              allocation.container(),
              allocation.device(),
              bytesPerUnit.isPresent() && !EarlierHolders.isOf(allocation)
                  ? OptionalLong.of(bytesPerUnit.getAsLong() * allocation.units())
                  : OptionalLong.empty(),
              usedBytes);
      var key =
          new Key(
              allocation.namespace(),
              allocation.pod(),
              allocation.container(),
              allocation.device());
      memories.merge(key, memory, ContainerMemories::sum);
    }
    return List.copyOf(memories.values());
  }

  private record PodDevice(String podUid, String uuid) {}

  private static Map<PodDevice, Long> usedByPodAndDevice(
      Map<String, List<ProcessUse>> processes, IntFunction<Optional<String>> owners) {
    var used = new HashMap<PodDevice, Long>();
    processes.forEach(
        (uuid, uses) ->
            uses.forEach(
                use ->
                    owners
                        .apply(use.pid())
                        .ifPresent(
                            podUid ->
                                used.merge(
                                    new PodDevice(podUid, uuid), use.usedBytes(), Long::sum))));
    return used;
  }

  private static ContainerMemory sum(ContainerMemory one, ContainerMemory other) {
    return new ContainerMemory(
        one.namespace(),
        one.pod(),
        one.container(),
        one.uuid(),
        sum(one.requestedBytes(), other.requestedBytes()),
        sum(one.usedBytes(), other.usedBytes()));
  }

  private static OptionalLong sum(OptionalLong one, OptionalLong other) {
    if (one.isEmpty()) {
      return other;
    }
    return other.isEmpty() ? one : OptionalLong.of(one.getAsLong() + other.getAsLong());
  }
}
