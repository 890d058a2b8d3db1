package io.baetyl.gpu.accelerator.ascend;

import io.baetyl.gpu.accelerator.DeviceSource;
import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.DriverException.Reason;
import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.NodeRoots;
import io.baetyl.gpu.accelerator.Sample;
import io.baetyl.gpu.accelerator.library.LibraryFile;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The Ascend chips of this node. */
final class AscendDevices implements DeviceSource {
  private static final long BYTES_PER_MIB = 1 << 20;

  /** A major alarm; from it on the chip is not to be used. */
  private static final int MAJOR = 2;

  /** Where Huawei's drivers install it, on Atlas cards and on 310B boards. */
  private static final List<String> LIBRARIES =
      List.of("usr/local/dcmi/libdcmi.so", "usr/lib64/libdcmi.so");

  private final LibraryFile<Dcmi> library;
  private volatile Map<String, Dcmi.Place> places = Map.of();

  AscendDevices(NodeRoots roots) {
    this.library =
        new LibraryFile<>(
            () -> libraries(roots),
            "Huawei's library libdcmi.so was not found on the host: install the Ascend driver, and"
                + " see that npu-smi info works on the node",
            Dcmi::new);
  }

  private static List<Path> libraries(NodeRoots roots) {
    return LIBRARIES.stream().map(roots.host()::resolve).toList();
  }

  @Override
  public AcceleratorType type() {
    return AcceleratorType.ASCEND;
  }

  @Override
  public List<FoundDevice> discover() throws DriverException {
    try {
      var dcmi = library.load();
      var devices = new ArrayList<FoundDevice>();
      var found = new HashMap<String, Dcmi.Place>();
      for (var place : dcmi.chips()) {
        describeUnlessLost(dcmi, place)
            .ifPresent(
                device -> {
                  devices.add(device);
                  found.put(device.id(), place);
                });
      }
      places = Map.copyOf(found);
      return devices;
    } catch (IllegalStateException unloaded) {
      throw LibraryFile.beingReplaced();
    }
  }

  /** A chip that is listed and does not answer must not hide the others. */
  private static Optional<FoundDevice> describeUnlessLost(Dcmi dcmi, Dcmi.Place place)
      throws DriverException {
    try {
      int number = dcmi.physicalId(place);
      return Optional.of(
          new FoundDevice(
              dcmi.dieId(place).orElse("Ascend-" + number),
              number,
              "/dev/davinci" + number,
              "Ascend" + dcmi.name(place),
              null,
              dcmi.memory(place).map(Dcmi.Memory::totalMiB).orElse(0L)));
    } catch (DriverException trouble) {
      if (trouble.reason() == Reason.DEVICE_LOST) {
        return Optional.empty();
      }
      throw trouble;
    }
  }

  @Override
  public Sample sample(String id) throws DriverException {
    var place = places.get(id);
    if (place == null) {
      throw new DriverException(
          Reason.DEVICE_REMOVED,
          "The driver does not list the chip any more: look for drv_pcie in the node's kernel log, reseat the card, reboot the node");
    }
    try {
      return sample(library.current(), place);
    } catch (IllegalStateException unloaded) {
      throw LibraryFile.beingReplaced();
    }
  }

  private static Sample sample(Dcmi dcmi, Dcmi.Place place) throws DriverException {
    var memory = dcmi.memory(place);
    var total = memory.map(known -> known.totalMiB() * BYTES_PER_MIB);
    var used = memory.map(known -> known.totalMiB() * BYTES_PER_MIB * known.usedPercent() / 100);
    return new Sample(
        bytes(total),
        bytes(used),
        bytes(total.map(all -> all - used.orElseThrow())),
        scaled(dcmi.utilization(place), 100),
        scaled(dcmi.temperature(place), 1),
        scaled(dcmi.power(place), 10),
        dcmi.processes(place),
        fault(dcmi.health(place).orElse(0), place));
  }

  private static Optional<String> fault(int health, Dcmi.Place place) {
    return health < MAJOR
        ? Optional.empty()
        : Optional.of(
            "The chip reports a %s alarm: npu-smi info -t health -i %d -c %d on the node names it"
                .formatted(health == MAJOR ? "major" : "critical", place.card(), place.chip()));
  }

  private static OptionalLong bytes(Optional<Long> bytes) {
    return bytes.map(OptionalLong::of).orElseGet(OptionalLong::empty);
  }

  private static OptionalDouble scaled(OptionalInt figure, int divisor) {
    return figure.isPresent()
        ? OptionalDouble.of(figure.getAsInt() / (double) divisor)
        : OptionalDouble.empty();
  }

  @Override
  public void close() {
    library.close();
  }
}
