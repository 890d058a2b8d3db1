package io.baetyl.gpu.deviceplugin.allocation;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * One way of handing devices out.
 *
 * @param inventory what there is to hand out; empty while that is not known
 * @param unknown why it is not known then, in a sentence
 * @param allocator answers the kubelet
 * @param books tell what has become of it
 */
public record AllocationStrategy<S extends Inventory>(
    Supplier<Optional<S>> inventory, String unknown, Allocator allocator, Books<S> books) {

  /**
   * What every strategy is made from.
   *
   * @param ledger who holds what
   * @param pods the pods of the node
   * @param kubelet the kubelet's account
   * @param alive whether a pod has processes, by {@link NodePod#kubeletUid}
   * @param settled whether the ledger has been compared with the kubelet's account once
   * @param earlier what pods hold since before the node was handed out in this way
   */
  public record Dependencies(
      Ledger ledger,
      NodePods pods,
      KubeletListing kubelet,
      Predicate<String> alive,
      BooleanSupplier settled,
      Supplier<List<Allocation>> earlier) {}

  /** The extended resource that there are units of; empty while that is not known. */
  public Optional<String> resourceName() {
    return inventory.get().map(Inventory::resourceName);
  }
}
