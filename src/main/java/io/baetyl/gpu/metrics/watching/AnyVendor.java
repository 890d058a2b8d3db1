package io.baetyl.gpu.metrics.watching;

import io.baetyl.gpu.accelerator.DeviceSource;
import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.DriverException.Reason;
import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.Sample;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The accelerators of this node, whoever has made them: those of the vendor that is asked for where
 * it has some here, else those of the first that has.
 */
public final class AnyVendor implements DeviceSource {
  private final List<DeviceSource> vendors;
  private final Supplier<Optional<AcceleratorType>> wanted;
  private volatile DeviceSource current;

  /**
   * @param vendors at least one
   * @param wanted the type that the node is to have; empty where whatever is found is right
   */
  public AnyVendor(List<DeviceSource> vendors, Supplier<Optional<AcceleratorType>> wanted) {
    this.vendors = List.copyOf(vendors);
    this.wanted = wanted;
    this.current = vendors.getFirst();
  }

  /** The type of those that were found last, or whose driver is in trouble. */
  @Override
  public AcceleratorType type() {
    return current.type();
  }

  /**
   * The devices of one vendor.
   *
   * @throws DriverException where none has any, of the driver that is worth mending: the one that
   *     is asked for, else one that is there and does not work
   */
  @Override
  public List<FoundDevice> discover() throws DriverException {
    var told =
        vendors.stream()
            .sorted(Comparator.comparing((DeviceSource vendor) -> !isWanted(vendor)))
            .map(AnyVendor::ask)
            .min(Comparator.comparingInt(this::rank))
            .orElseThrow();
    current = told.vendor();
    if (told.trouble() != null) {
      throw told.trouble();
    }
    return told.devices();
  }

  private record Told(DeviceSource vendor, List<FoundDevice> devices, DriverException trouble) {}

  private static Told ask(DeviceSource vendor) {
    try {
      return new Told(vendor, vendor.discover(), null);
    } catch (DriverException trouble) {
      return new Told(vendor, List.of(), trouble);
    }
  }

  /** What is worth telling most has the lowest. */
  private int rank(Told told) {
    if (!told.devices().isEmpty()) {
      return 0;
    }
    if (told.trouble() != null && isWanted(told.vendor())) {
      return 1;
    }
    if (told.trouble() == null) {
      return 3;
    }
    return told.trouble().reason() == Reason.DRIVER_NOT_FOUND ? 4 : 2;
  }

  private boolean isWanted(DeviceSource vendor) {
    return wanted.get().filter(vendor.type()::equals).isPresent();
  }

  @Override
  public Sample sample(String id) throws DriverException {
    return current.sample(id);
  }

  @Override
  public void close() {
    vendors.forEach(DeviceSource::close);
  }
}
