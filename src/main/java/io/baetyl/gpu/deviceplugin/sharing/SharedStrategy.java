package io.baetyl.gpu.deviceplugin.sharing;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.api.v1alpha1.Sharing;
import io.baetyl.gpu.deviceplugin.allocation.AllocationStrategy;
import io.baetyl.gpu.model.ShareRules;
import java.util.Optional;
import java.util.function.Supplier;

/** Handing the memory of shared cards out. */
public final class SharedStrategy {
  private SharedStrategy() {}

  /**
   * By the status of the node's GpuNode.
   *
   * @param type of the devices that are shared
   * @param corrections is told of pods that get another card than the decided one
   */
  public static AllocationStrategy<SharedCards> of(
      AllocationStrategy.Dependencies dependencies,
      AcceleratorType type,
      Supplier<GpuNodeStatus> status,
      Corrections corrections) {
    return of(
        dependencies,
        () -> SharedCards.in(status.get(), type, dependencies.earlier().get()),
        () -> reportedRules(status.get()),
        corrections);
  }

  /**
   * @param cards what is shared; empty while that is not known
   * @param reportedRules the rules in the units that this plugin said last to count; empty where it
   *     has said nothing
   * @param corrections is told of pods that get another card than the decided one
   */
  public static AllocationStrategy<SharedCards> of(
      AllocationStrategy.Dependencies dependencies,
      Supplier<Optional<SharedCards>> cards,
      Supplier<Optional<ShareRules>> reportedRules,
      Corrections corrections) {
    var counted =
        new CountedCards(cards, reportedRules, dependencies.settled(), dependencies.ledger());
    var decisions = new Decisions(System::nanoTime);
    return new AllocationStrategy<>(
        counted,
        "its GpuNode does not say in its status by which rules to share",
        new SharedAllocator(dependencies, decisions, counted, corrections, System::nanoTime),
        new SharedBooks(dependencies.ledger(), decisions, corrections));
  }

  /** The extended resource that pods of the node ask for; empty while that is not known. */
  public static Optional<String> resourceName(GpuNodeStatus status) {
    return Optional.ofNullable(status.sharingAsCounted()).map(Sharing::resourceName);
  }

  private static Optional<ShareRules> reportedRules(GpuNodeStatus status) {
    return status
        .pluginThatCounts()
        .flatMap(reported -> Optional.ofNullable(status.sharingAsCounted()))
        .map(ShareRules::of);
  }
}
