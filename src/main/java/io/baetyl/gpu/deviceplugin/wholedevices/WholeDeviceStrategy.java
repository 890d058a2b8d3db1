package io.baetyl.gpu.deviceplugin.wholedevices;

import io.baetyl.gpu.deviceplugin.allocation.AllocationStrategy;
import java.util.Optional;
import java.util.function.Supplier;

/** Handing devices out whole. */
public final class WholeDeviceStrategy {
  private WholeDeviceStrategy() {}

  /**
   * @param devices what there is; empty while that is not known
   */
  public static AllocationStrategy<WholeDevices> of(
      AllocationStrategy.Dependencies dependencies, Supplier<Optional<WholeDevices>> devices) {
    Supplier<Optional<WholeDevices>> available =
        () -> devices.get().map(there -> there.without(dependencies.earlier().get()));
    return new AllocationStrategy<>(
        available,
        "the metrics agent has found no such devices on this node",
        new WholeDeviceAllocator(dependencies, available, System::nanoTime),
        new WholeDeviceBooks(dependencies.ledger()));
  }
}
