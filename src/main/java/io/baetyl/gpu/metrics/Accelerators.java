package io.baetyl.gpu.metrics;

import static java.util.stream.Collectors.toMap;

import io.baetyl.gpu.accelerator.DeviceSource;
import io.baetyl.gpu.accelerator.NodeRoots;
import io.baetyl.gpu.accelerator.RuntimeFinding;
import io.baetyl.gpu.accelerator.Vendor;
import io.baetyl.gpu.accelerator.VendorMetrics;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** What the known vendors have to say of this node. */
final class Accelerators {
  private record Known(Vendor vendor, Vendor.OnNode here) {}

  private final Map<AcceleratorType, Known> byType;

  /**
   * @param vendors in the order in which they are looked for, each with a type of its own
   */
  Accelerators(List<Vendor> vendors, NodeRoots roots) {
    byType =
        vendors.stream()
            .collect(
                toMap(
                    vendor -> vendor.requirements().type(),
                    vendor -> new Known(vendor, vendor.on(roots)),
                    (one, other) -> {
                      throw new IllegalStateException("two vendors of one type");
                    },
                    LinkedHashMap::new));
  }

  /** Each vendor's devices, to be closed by who asks for them. */
  List<DeviceSource> sources() {
    return byType.values().stream().map(known -> known.here().devices()).toList();
  }

  /** The vendor's own metrics of devices of a type. */
  VendorMetrics metrics(AcceleratorType type) {
    return Optional.ofNullable(byType.get(type))
        .map(known -> known.vendor().metrics())
        .orElse(VendorMetrics.NONE);
  }

  /**
   * Whether the node's container runtime can give containers devices of a type. Looks at files.
   *
   * @param devices their ids
   * @param exists whether the cluster has a RuntimeClass of a name
   */
  RuntimeFinding runtime(
      AcceleratorType type, Collection<String> devices, Predicate<String> exists) {
    var known = byType.get(type);
    return known
        .here()
        .runtime(devices, () -> exists.test(known.vendor().requirements().runtimeClass()));
  }
}
