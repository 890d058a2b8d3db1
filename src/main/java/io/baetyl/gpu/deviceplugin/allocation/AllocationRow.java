package io.baetyl.gpu.deviceplugin.allocation;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationState;
import io.baetyl.gpu.api.v1alpha1.DecidedBy;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** A row of the status's account of who holds what. Pure. */
public final class AllocationRow {
  public static final Comparator<Allocation> IN_ORDER =
      Comparator.comparing(Allocation::namespace)
          .thenComparing(Allocation::pod)
          .thenComparing(Allocation::uid)
          .thenComparing(Allocation::container)
          .thenComparing(Allocation::device);

  private AllocationRow() {}

  /**
   * The row of one container and one device.
   *
   * @param decidedBy who chose the device; null where there is no choice
   * @param before the rows until now, which say since when a state lasts
   */
  public static Allocation of(
      NodePod pod,
      String container,
      String device,
      int units,
      AllocationState state,
      DecidedBy decidedBy,
      List<Allocation> before,
      Instant now) {
    var since =
        before.stream()
            .filter(row -> row.uid().equals(pod.uid()) && row.container().equals(container))
            .filter(row -> row.device().equals(device) && row.state() == state)
            .map(Allocation::since)
            .findFirst()
            .orElseGet(() -> now.truncatedTo(ChronoUnit.SECONDS).toString());
    return new Allocation(
        pod.namespace(),
        pod.name(),
        container,
        pod.uid(),
        pod.isStatic() ? pod.kubeletUid() : null,
        device,
        null,
        units,
        state,
        decidedBy,
        since);
  }

  /** Where a container is in its life that has what it asks for. */
  public static AllocationState stateOf(NodePod holder, Collection<String> presentKeys) {
    return presentKeys.contains(holder.key()) && holder.life() == NodePod.Life.LIVING
        ? AllocationState.RUNNING
        : AllocationState.TERMINATING;
  }
}
