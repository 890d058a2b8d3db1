package io.baetyl.gpu.model;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toSet;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.Device;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Pods that hold devices since before the node's type or allocation was changed. They keep them to
 * their end, and until then nobody else gets anything of these devices: what such a pod holds is
 * counted in other units.
 */
public final class EarlierHolders {
  private EarlierHolders() {}

  /** Whether a row of a status is of such a pod. */
  public static boolean isOf(Allocation row) {
    return row.resourceName() != null;
  }

  /** The ids of the devices that such pods hold. */
  public static Set<String> devices(Collection<Allocation> allocations) {
    return allocations.stream()
        .filter(EarlierHolders::isOf)
        .map(Allocation::device)
        .collect(toSet());
  }

  /** The devices, with those that such pods hold as none that can be handed out. */
  public static List<Device> withhold(List<Device> devices, Collection<Allocation> allocations) {
    var holders =
        allocations.stream()
            .filter(EarlierHolders::isOf)
            .collect(
                groupingBy(
                    Allocation::device,
                    mapping(row -> row.namespace() + "/" + row.pod(), toCollection(TreeSet::new))));
    return holders.isEmpty()
        ? devices
        : devices.stream()
            .map(
                device ->
                    holders.containsKey(device.id())
                        ? device.unhealthy(reason(holders.get(device.id())))
                        : device)
            .toList();
  }

  private static String reason(Set<String> pods) {
    return "it is held since before the node's allocation was changed, by "
        + pods.stream().limit(3).collect(joining(", "))
        + (pods.size() > 3 ? " and others" : "");
  }
}
