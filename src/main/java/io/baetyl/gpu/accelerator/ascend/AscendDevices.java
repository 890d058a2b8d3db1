package io.baetyl.gpu.accelerator.ascend;

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
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The Ascend chips of this node. */
final class AscendDevices implements DeviceSource {
  private static final long BYTES_PER_MIB = 1 << 20;

  /** A major alarm; from it on the chip is not to be used. */
  private static final int MAJOR = 2;

  private static final Duration PATIENCE = Duration.ofSeconds(4);

  /** Where Huawei's drivers install it, on Atlas cards and on 310B boards. */
  private static final List<String> LIBRARIES =
      List.of("/usr/local/dcmi/libdcmi.so", "/usr/lib64/libdcmi.so");

  private final LibraryFile<Dcmi> library;
  private final Inquiry<Dcmi.Place, Answer> inquiry = new Inquiry<>(PATIENCE);
  private volatile Known known = new Known(Map.of(), false);

  /** What the driver says of a place. */
  private sealed interface Answer {
    record Chip(FoundDevice device) implements Answer {}

    /** There is a controller or CPU. */
    record OtherUnit() implements Answer {}

    /** The driver tells nothing of it now. */
    record Lost(DriverException why) implements Answer {}
  }

  /**
   * @param places of the chips, by their ids
   * @param complete whether it is known of every place which chip is there
   */
  private record Known(Map<String, Dcmi.Place> places, boolean complete) {}

  AscendDevices(NodeRoots roots) {
    this.library =
        new LibraryFile<>(
            () -> libraries(roots),
            "Huawei's library libdcmi.so was not found on the host: install the Ascend driver, and"
                + " see that npu-smi info works on the node",
            Dcmi::new);
  }

  private static List<Path> libraries(NodeRoots roots) {
    return LIBRARIES.stream().map(path -> HostPath.follow(roots.host(), path)).toList();
  }

  @Override
  public AcceleratorType type() {
    return AcceleratorType.ASCEND;
  }

  @Override
  public List<FoundDevice> discover() throws DriverException {
    try {
      var dcmi = library.load();
      var places = places(dcmi);
      var answers = inquiry.ask(places, place -> look(dcmi, place));
      var devices = new ArrayList<FoundDevice>();
      var found = new HashMap<String, Dcmi.Place>();
      var silent = new LinkedHashMap<Dcmi.Place, DriverException>();
      for (var place : places) {
        switch (answers.get(place)) {
          case Answer.Chip(var device) -> {
            devices.add(device);
            found.put(device.id(), place);
          }
          case Answer.OtherUnit other -> {}
          case Answer.Lost(var why) -> silent.put(place, why);
          case null -> silent.put(place, hangs());
        }
      }
      boolean complete = true;
      for (var place : silent.keySet()) {
        complete &= keep(place, found);
      }
      if (found.isEmpty() && !complete) {
        throw silent.values().iterator().next();
      }
      known = new Known(Map.copyOf(found), complete);
      return devices;
    } catch (IllegalStateException unloaded) {
      throw LibraryFile.beingReplaced();
    }
  }

  /** Where chips may be: also those of a card that the driver tells nothing of. */
  private List<Dcmi.Place> places(Dcmi dcmi) throws DriverException {
    var places = new ArrayList<Dcmi.Place>();
    for (int card : dcmi.cards()) {
      try {
        places.addAll(dcmi.places(card));
      } catch (DriverException lost) {
        known.places().values().stream().filter(place -> place.card() == card).forEach(places::add);
      }
    }
    return places;
  }

  /** A chip that is lost must not hide the others. */
  private static Answer look(Dcmi dcmi, Dcmi.Place place) {
    try {
      return dcmi.isChip(place) ? new Answer.Chip(describe(dcmi, place)) : new Answer.OtherUnit();
    } catch (DriverException trouble) {
      return new Answer.Lost(trouble);
    }
  }

  private DriverException hangs() {
    return new DriverException(
        Reason.DRIVER_FAILED,
        "The driver does not answer about its chips: %s; a reboot of the node helps where nothing else does"
            .formatted(whereHangsShow()));
  }

  private static FoundDevice describe(Dcmi dcmi, Dcmi.Place place) throws DriverException {
    int number = dcmi.physicalId(place);
    return new FoundDevice(
        dcmi.dieId(place).orElse("Ascend-" + number),
        number,
        "/dev/davinci" + number,
        "Ascend" + dcmi.name(place),
        null,
        dcmi.memory(place).map(Dcmi.Memory::totalMiB).orElse(0L));
  }

  /**
   * A chip that is lost or hangs keeps its place, so that it can still be asked why.
   *
   * @return whether it is known which one it is
   */
  private boolean keep(Dcmi.Place place, Map<String, Dcmi.Place> found) {
    var earlier =
        known.places().entrySet().stream()
            .filter(entry -> entry.getValue().equals(place))
            .map(Map.Entry::getKey)
            .findFirst();
    // It may have been found elsewhere meanwhile.
    return earlier.filter(id -> found.putIfAbsent(id, place) == null).isPresent();
  }

  @Override
  public Sample sample(String id) throws DriverException {
    var seen = known;
    var place = seen.places().get(id);
    if (place == null) {
      throw seen.complete()
          ? new DriverException(
              Reason.DEVICE_REMOVED,
              "The driver does not list the chip any more: look for drv_pcie in the node's kernel log, reseat the card, reboot the node")
          : new DriverException(
              Reason.DRIVER_FAILED,
              "The driver does not answer about a chip, which may be this one: look for drv_pcie in the node's kernel log, reboot the node");
    }
    try {
      return sample(library.current(), place);
    } catch (IllegalStateException unloaded) {
      throw LibraryFile.beingReplaced();
    }
  }

  private static Sample sample(Dcmi dcmi, Dcmi.Place place) throws DriverException {
    var memory = dcmi.memory(place);
    return new Sample(
        bytes(memory.map(Dcmi.Memory::totalMiB)),
        bytes(memory.flatMap(AscendDevices::usedMiB)),
        bytes(memory.flatMap(AscendDevices::freeMiB)),
        Sample.scaled(dcmi.utilization(place), 100),
        Sample.scaled(dcmi.temperature(place), 1),
        Sample.scaled(dcmi.power(place), 10),
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

  private static Optional<Long> usedMiB(Dcmi.Memory memory) {
    return freeMiB(memory).map(free -> memory.totalMiB() - free);
  }

  private static Optional<Long> freeMiB(Dcmi.Memory memory) {
    return memory.freeMiB().isPresent()
        ? Optional.of(memory.freeMiB().getAsLong())
        : Optional.empty();
  }

  private static OptionalLong bytes(Optional<Long> mebiBytes) {
    return mebiBytes
        .map(known -> OptionalLong.of(known * BYTES_PER_MIB))
        .orElseGet(OptionalLong::empty);
  }

  @Override
  public String whereHangsShow() {
    return "run npu-smi info on the node, and look for davinci and drv_pcie in its kernel log";
  }

  @Override
  public void close() {
    inquiry.close();
    library.close();
  }
}
