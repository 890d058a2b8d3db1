package io.baetyl.gpu.accelerator;

import io.baetyl.gpu.accelerator.ascend.AscendVendor;
import io.baetyl.gpu.accelerator.bitmain.BitmainVendor;
import io.baetyl.gpu.accelerator.jetson.JetsonVendor;
import io.baetyl.gpu.accelerator.nvidia.NvidiaVendor;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import java.util.List;
import java.util.Optional;

/** The accelerators that are known. */
public final class Vendors {
  /** In the order in which they are looked for. */
  public static final List<Vendor> ALL =
      List.of(new NvidiaVendor(), new JetsonVendor(), new AscendVendor(), new BitmainVendor());

  private Vendors() {}

  /** What those of a type require; empty where it is none, or one that nothing is known of. */
  public static Optional<Requirements> requirements(AcceleratorType type) {
    return of(type).map(Vendor::requirements);
  }

  /** Whether those of a type can be handed out in a way. */
  public static boolean allows(AcceleratorType type, AllocationMode mode) {
    return requirements(type).filter(known -> known.allocations().contains(mode)).isPresent();
  }

  /** Where a person finds out what is wrong with the driver of a type, as advice. */
  public static String diagnosis(AcceleratorType type) {
    return requirements(type)
        .map(known -> known.driver().diagnosis())
        .orElse("look into the node's kernel log");
  }

  /** The types that something is known of. */
  public static List<AcceleratorType> types() {
    return ALL.stream().map(known -> known.requirements().type()).toList();
  }

  /** Those of a type; empty where it is none, or one that nothing is known of. */
  public static Optional<Vendor> of(AcceleratorType type) {
    return ALL.stream().filter(known -> known.requirements().type() == type).findFirst();
  }
}
