package io.baetyl.gpu.accelerator.bitmain;

import io.baetyl.gpu.accelerator.DeviceSource;
import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.DriverException.Reason;
import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.NodeRoots;
import io.baetyl.gpu.accelerator.Sample;
import io.baetyl.gpu.accelerator.library.LibraryFile;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
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

  private final ChipNodes nodes;
  private final LibraryFile<BmLib> library;
  private volatile Map<String, Integer> numbers = Map.of();

  BitmainDevices(NodeRoots roots) {
    this.nodes = new ChipNodes(roots);
    this.library =
        new LibraryFile<>(
            List.of(roots.host().resolve("opt/sophon/libsophon-current/lib/libbmlib.so")),
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
      var devices = new ArrayList<FoundDevice>();
      var found = new HashMap<String, Integer>();
      var chipsOfCard = new HashMap<String, Integer>();
      for (int number : nodes.numbers()) {
        describeUnlessLost(bmlib, number, chipsOfCard)
            .ifPresentOrElse(
                device -> {
                  devices.add(device);
                  found.put(device.id(), number);
                },
                () -> keep(number, chipsOfCard, found));
      }
      numbers = Map.copyOf(found);
      return devices;
    } catch (IllegalStateException unloaded) {
      throw LibraryFile.beingReplaced();
    }
  }

  /** A chip that has a device node and does not answer must not hide the others. */
  private Optional<FoundDevice> describeUnlessLost(
      BmLib bmlib, int number, Map<String, Integer> chipsOfCard) {
    try (var chip = bmlib.open(number)) {
      var card = chip.serialNumber().orElse("sophon");
      int onCard = chipsOfCard.merge(card, 1, Integer::sum) - 1;
      return Optional.of(
          new FoundDevice(
              card + "-" + onCard,
              number,
              nodes.path(number),
              chip.id().orElse(0) == BM1684X ? "BM1684X" : "BM1684",
              null,
              chip.stat().map(stat -> (long) stat.totalMiB()).orElse(0L)));
    } catch (DriverException lost) {
      return Optional.empty();
    }
  }

  /** A chip that is lost can still be asked why, and keeps its place on its card. */
  private void keep(int number, Map<String, Integer> chipsOfCard, Map<String, Integer> found) {
    numbers.forEach(
        (id, known) -> {
          if (known == number) {
            found.put(id, number);
            chipsOfCard.merge(id.substring(0, id.lastIndexOf('-')), 1, Integer::sum);
          }
        });
  }

  @Override
  public Sample sample(String id) throws DriverException {
    var number = numbers.get(id);
    if (number == null) {
      throw new DriverException(
          Reason.DEVICE_REMOVED,
          "The chip's device node is gone or cannot be opened: look for bmsophon in the node's kernel log, reseat the card, reboot the node");
    }
    try (var chip = library.current().open(number)) {
      return sample(chip);
    } catch (IllegalStateException unloaded) {
      throw LibraryFile.beingReplaced();
    }
  }

  private static Sample sample(BmLib.Chip chip) {
    var stat = chip.stat();
    return new Sample(
        bytes(stat.map(BmLib.Stat::totalMiB)),
        bytes(stat.map(BmLib.Stat::usedMiB)),
        bytes(stat.map(known -> known.totalMiB() - known.usedMiB())),
        stat.map(known -> OptionalDouble.of(known.utilizationPercent() / 100.0))
            .orElseGet(OptionalDouble::empty),
        asDouble(chip.temperature()),
        chip.power(),
        List.of(),
        chip.status().orElse(0) == AT_FAULT
            ? Optional.of(
                "The driver reports the chip as at fault: bm-smi on the node tells more; a reset acts on all chips of the card")
            : Optional.empty());
  }

  private static OptionalLong bytes(Optional<Integer> mebiBytes) {
    return mebiBytes
        .map(known -> OptionalLong.of(known * BYTES_PER_MIB))
        .orElseGet(OptionalLong::empty);
  }

  private static OptionalDouble asDouble(OptionalInt figure) {
    return figure.isPresent() ? OptionalDouble.of(figure.getAsInt()) : OptionalDouble.empty();
  }

  @Override
  public void close() {
    library.close();
  }
}
