package io.baetyl.gpu.deviceplugin.wholedevices;

import io.baetyl.gpu.deviceplugin.allocation.Handout;
import java.util.Optional;
import java.util.function.Supplier;

/** Handing devices out whole. */
public final class WholeDeviceHandout {
  private WholeDeviceHandout() {}

  /**
   * @param devices what there is; empty while that is not known
   */
  public static Handout<WholeDevices> of(
      Handout.Parts parts, Supplier<Optional<WholeDevices>> devices) {
    Supplier<Optional<WholeDevices>> available =
        () -> devices.get().map(there -> there.without(parts.earlier().get()));
    return new Handout<>(
        available,
        "the metrics agent has found no such devices on this node",
        new WholeDeviceAllocator(parts, available, System::nanoTime),
        new WholeDeviceBooks(parts.ledger()));
  }
}
