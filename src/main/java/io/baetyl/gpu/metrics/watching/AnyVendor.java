package io.baetyl.gpu.metrics.watching;

import io.baetyl.gpu.accelerator.DeviceSource;
import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.DriverException.Reason;
import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.Sample;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The accelerators of this node, whoever has made them: those of the vendor that is asked for where
 * it has some here, else those that were found last, else those of the first that has. No other is
 * asked once some are found, so that its driver cannot hide them by hanging.
 */
public final class AnyVendor implements DeviceSource {
  private final List<DeviceSource> vendors;
  private final Supplier<Optional<AcceleratorType>> wanted;
  private final Supplier<Optional<AcceleratorType>> reported;
  private volatile DeviceSource found;

  /**
   * @param vendors at least one
   * @param wanted the type that the node is to have; empty where whatever is found is right
   * @param reported the type that was found before this process began; empty where none was
   */
  public AnyVendor(
      List<DeviceSource> vendors,
      Supplier<Optional<AcceleratorType>> wanted,
      Supplier<Optional<AcceleratorType>> reported) {
    this.vendors = List.copyOf(vendors);
    this.wanted = wanted;
    this.reported = reported;
  }

  /** The type of those that were found last, or whose driver is in trouble. */
  @Override
  public AcceleratorType type() {
    return current().type();
  }

  private DeviceSource current() {
    var last = found;
    return last != null
        ? last
        : vendors.stream()
            .filter(vendor -> is(vendor, reported))
            .findFirst()
            .orElse(vendors.getFirst());
  }

  /**
   * The devices of one vendor.
   *
   * @throws DriverException where none has any, of the driver that is worth mending: the one that
   *     is asked for, else one that is there and does not work
   */
  @Override
  public List<FoundDevice> discover() throws DriverException {
    var told = tellFirst();
    found = told.vendor();
    if (told.trouble() != null) {
      throw told.trouble();
    }
    return told.devices();
  }

  private Told tellFirst() {
    var before = current();
    var inOrder =
        vendors.stream()
            .sorted(
                Comparator.comparing((DeviceSource vendor) -> !isWanted(vendor))
                    .thenComparing(vendor -> vendor != before))
            .toList();
    var empty = new ArrayList<Told>();
    for (var vendor : inOrder) {
      var told = ask(vendor);
      if (!told.devices().isEmpty()) {
        return told;
      }
      empty.add(told);
    }
    return Collections.min(empty, Comparator.comparingInt(this::rank));
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
    if (told.trouble() != null && isWanted(told.vendor())) {
      return 0;
    }
    if (told.trouble() == null) {
      return 2;
    }
    return told.trouble().reason() == Reason.DRIVER_NOT_FOUND ? 3 : 1;
  }

  private boolean isWanted(DeviceSource vendor) {
    return is(vendor, wanted);
  }

  private static boolean is(DeviceSource vendor, Supplier<Optional<AcceleratorType>> type) {
    return type.get().filter(vendor.type()::equals).isPresent();
  }

  @Override
  public Sample sample(String id) throws DriverException {
    return current().sample(id);
  }

  @Override
  public String whereHangsShow() {
    return current().whereHangsShow();
  }

  @Override
  public void close() {
    vendors.forEach(DeviceSource::close);
  }
}
