package io.baetyl.gpu.accelerator.bitmain;

import io.baetyl.gpu.accelerator.DeviceSource;
import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.DriverException.Reason;
import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.NodeRoots;
import io.baetyl.gpu.accelerator.Sample;
import io.baetyl.gpu.accelerator.library.HostPath;
import io.baetyl.gpu.accelerator.library.Inquiry;
import io.baetyl.gpu.accelerator.library.LibraryFile;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The Sophon chips of this node. */
final class BitmainDevices implements DeviceSource {
  private static final long BYTES_PER_MIB = 1 << 20;
  private static final int BM1684X = 0x1686;
  private static final int AT_FAULT = 1;
  private static final Duration PATIENCE = Duration.ofSeconds(4);
  private static final String LIBRARY = "/opt/sophon/libsophon-current/lib/libbmlib.so";

  private final ChipNodes nodes;
  private final ChipFiles files;
  private final LibraryFile<BmLib> library;
  private final Inquiry<Integer, Optional<FoundDevice>> inquiry = new Inquiry<>(PATIENCE);
  private volatile Known known = new Known(Map.of(), false);

  /**
   * @param numbers of the device nodes, by the ids of their chips
   * @param complete whether it is known of every device node which chip it belongs to
   */
  private record Known(Map<String, Integer> numbers, boolean complete) {}

  BitmainDevices(NodeRoots roots) {
    this.nodes = new ChipNodes(roots);
    this.files = new ChipFiles(roots);
    this.library =
        new LibraryFile<>(
            () -> List.of(HostPath.follow(roots.host(), LIBRARY)),
            "Sophgo's library libbmlib.so was not found on the host: install libsophon, and see"
                + " that bm-smi works on the node",
            BmLib::new);
  }

  @Override
  public AcceleratorType type() {
    return AcceleratorType.BITMAIN;
  }

  @Override
  public List<FoundDevice> discover() throws DriverException {
    try {
      var bmlib = library.load();
      var numbers = nodes.numbers();
      var answers = inquiry.ask(numbers, number -> describeUnlessLost(bmlib, number));
      var devices = new ArrayList<FoundDevice>();
      var found = new HashMap<String, Integer>();
      for (int number : numbers) {
        var device = answers.getOrDefault(number, Optional.empty());
        device.ifPresent(devices::add);
        device.ifPresent(there -> found.put(there.id(), number));
      }
      for (int number : numbers) {
        if (answers.getOrDefault(number, Optional.empty()).isEmpty()) {
          // The one that was there before may have been found elsewhere.
          idOfSilent(number).ifPresent(id -> found.putIfAbsent(id, number));
        }
      }
      if (found.isEmpty() && !numbers.isEmpty()) {
        throw new DriverException(
            Reason.DRIVER_FAILED,
            "The driver does not answer about its chips: %s; a reboot of the node helps where nothing else does"
                .formatted(whereHangsShow()));
      }
      known = new Known(Map.copyOf(found), found.size() == numbers.size());
      return devices;
    } catch (IllegalStateException unloaded) {
      throw LibraryFile.beingReplaced();
    }
  }

  /** A chip that has a device node and does not answer must not hide the others. */
  private Optional<FoundDevice> describeUnlessLost(BmLib bmlib, int number) {
    try (var chip = bmlib.open(number)) {
      var location = files.location(number);
      return Optional.of(
          new FoundDevice(
              id(number, location, chip.serialNumber()),
              number,
              nodes.path(number),
              chip.id().orElse(0) == BM1684X ? "BM1684X" : "BM1684",
              location.map(ChipFiles.Location::pciAddress).orElse(null),
              chip.stat().totalMiB().orElse(0)));
    } catch (DriverException lost) {
      return Optional.empty();
    }
  }

  /**
   * The lasting identity of a chip: the serial number of its card, and where it is on that. The
   * address on the PCI bus stays the same when another chip of the card is lost, also over a
   * reboot; a number counted by what is there would not.
   *
   * @param told the serial number by the library
   */
  private static String id(
      int number, Optional<ChipFiles.Location> location, Optional<String> told) {
    var serial = location.flatMap(ChipFiles.Location::serialNumber).or(() -> told);
    var place =
        location
            .map(at -> serial.isPresent() && at.isAlone() ? "0" : at.pciAddress())
            .orElse(Integer.toString(number));
    return serial.orElse("sophon") + "-" + place;
  }

  /**
   * A chip that is lost or hangs can still be asked why: by the identity that the driver's files
   * tell, or that it had before.
   */
  private Optional<String> idOfSilent(int number) {
    return files
        .location(number)
        .filter(at -> at.serialNumber().isPresent())
        .map(at -> id(number, Optional.of(at), Optional.empty()))
        .or(
            () ->
                known.numbers().entrySet().stream()
                    .filter(entry -> entry.getValue() == number)
                    .map(Map.Entry::getKey)
                    .findFirst());
  }

  @Override
  public Sample sample(String id) throws DriverException {
    var seen = known;
    var number = seen.numbers().get(id);
    if (number == null) {
      throw seen.complete()
          ? new DriverException(
              Reason.DEVICE_REMOVED,
              "The chip's device node is gone or cannot be opened: look for bmsophon in the node's kernel log, reseat the card, reboot the node")
          : new DriverException(
              Reason.DRIVER_FAILED,
              "The driver does not answer about a chip, which may be this one: look for bmsophon in the node's kernel log, reboot the node");
    }
    try (var chip = library.current().open(number)) {
      return sample(chip, files.isUtilizationMeasured(number));
    } catch (IllegalStateException unloaded) {
      throw LibraryFile.beingReplaced();
    }
  }

  private static Sample sample(BmLib.Chip chip, boolean utilizationIsMeasured) {
    var stat = chip.stat();
    return new Sample(
        bytes(stat.totalMiB()),
        bytes(stat.usedMiB()),
        bytes(stat.freeMiB()),
        utilizationIsMeasured
            ? Sample.scaled(stat.utilizationPercent(), 100)
            : OptionalDouble.empty(),
        Sample.scaled(chip.temperature(), 1),
        chip.power(),
        List.of(),
        chip.status().orElse(0) == AT_FAULT
            ? Optional.of(
                "The driver reports the chip as at fault: bm-smi on the node tells more; a reset acts on all chips of the card")
            : Optional.empty());
  }

  private static OptionalLong bytes(OptionalInt mebiBytes) {
    return mebiBytes.isPresent()
        ? OptionalLong.of(mebiBytes.getAsInt() * BYTES_PER_MIB)
        : OptionalLong.empty();
  }

  @Override
  public String whereHangsShow() {
    return "run bm-smi on the node, and look for bmsophon and bm-sophon in its kernel log";
  }

  @Override
  public void close() {
    inquiry.close();
    library.close();
  }
}
