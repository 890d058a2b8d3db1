package io.baetyl.gpu.deviceplugin.sharing;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationState;
import io.baetyl.gpu.api.v1alpha1.CardDecision;
import io.baetyl.gpu.api.v1alpha1.DecidedBy;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.deviceplugin.allocation.AllocationRow;
import io.baetyl.gpu.deviceplugin.allocation.HeldPod;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The status's account of who holds what. Pure. */
final class AllocationRows {
  private AllocationRows() {}

  /**
   * One row for each container that has units or is to get some.
   *
   * @param held what is in the ledger
   * @param pods the pods of the node
   * @param decisionOf the cards decided for a pod
   * @param devices the cards of the node
   * @param before the rows until now, which say since when a state lasts
   */
  static List<Allocation> of(
      List<HeldPod> held,
      Collection<NodePod> pods,
      Function<NodePod, Optional<CardDecision>> decisionOf,
      List<Device> devices,
      List<Allocation> before,
      Instant now) {
    var known = devices.stream().map(Device::id).collect(Collectors.toSet());
    var present = pods.stream().map(NodePod::key).collect(Collectors.toSet());
    var keys = new HashSet<List<String>>();
    return Hold.of(held, pods, decisionOf).stream()
        // A static pod gets its UID at the API server with its mirror; until then it has no key.
        .filter(hold -> !hold.pod().uid().isEmpty())
        // What somebody else may have written into an annotation is not repeated as a fact.
        .filter(hold -> hold.taken() || known.contains(hold.card()))
        .map(hold -> row(hold, present, before, now))
        .sorted(AllocationRow.IN_ORDER)
        .filter(row -> keys.add(List.of(row.uid(), row.container(), row.device())))
        .toList();
  }

  private static Allocation row(
      Hold hold, Set<String> present, List<Allocation> before, Instant now) {
    var state = hold.taken() ? AllocationRow.stateOf(hold.pod(), present) : AllocationState.ASSUMED;
    return AllocationRow.of(
        hold.pod(),
        hold.container(),
        hold.card(),
        hold.units(),
        state,
        decidedBy(hold, before),
        before,
        now);
  }

  /** Of a pod that is known by its processes alone, the rows until now have it. */
  private static DecidedBy decidedBy(Hold hold, List<Allocation> before) {
    return hold.pod().decision().isPresent()
        ? DecidedBy.SCHEDULER
        : before.stream()
            .filter(row -> row.uid().equals(hold.pod().uid()))
            .filter(row -> row.container().equals(hold.container()))
            .map(Allocation::decidedBy)
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(DecidedBy.DEVICE_PLUGIN);
  }
}
