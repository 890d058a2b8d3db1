package io.baetyl.gpu.accelerator.ascend;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.DriverException.Reason;
import io.baetyl.gpu.accelerator.Sample.ProcessUse;
import io.baetyl.gpu.accelerator.library.LibraryFile;
import io.baetyl.gpu.accelerator.library.NativeLibrary;
import io.baetyl.gpu.accelerator.library.OneAtATime;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The Ascend driver's library, loaded and initialised: the few of its functions that are needed. A
 * figure that a chip does not offer, or that the driver is too old for, is empty.
 */
final class Dcmi implements LibraryFile.Loaded {
  private static final int MOST_CARDS = 64;
  private static final int MOST_PROCESSES = 32;

  /** {@code enum dcmi_unit_type}: a card has a controller and CPUs beside its chips. */
  private static final int NPU = 0;

  /** {@code enum dcmi_die_type}. */
  private static final int VDIE = 1;

  /** Of {@code dcmi_get_device_utilization_rate}. */
  private static final int AI_CORE = 2;

  /** {@code struct dcmi_chip_info}: three texts of 32, and a count. */
  private static final int CHIP_INFO = 100;

  private static final int CHIP_NAME = 32;
  private static final int NAME_LENGTH = 32;

  /** {@code struct dcmi_die_id}: five 32-bit numbers. */
  private static final int DIE_NUMBERS = 5;

  /** {@code struct dcmi_get_memory_info_stru}; some drivers write more than its comment says. */
  private static final int MEMORY_INFO = 128;

  private static final int MEMORY_SIZE = 0;
  private static final int MEMORY_AVAILABLE = 8;

  /** {@code struct dcmi_proc_mem_info}: a process id and, aligned, its bytes. */
  private static final int PROCESS = 16;

  private static final int PROCESS_BYTES = 8;

  /** Of {@code dcmi_get_device_health}, where the chip has not been started. */
  private static final int NOT_STARTED = -1;

  /** No call takes as long, but the first after a start, and those about a chip that hangs. */
  private static final Duration HANGS_FROM = Duration.ofMillis(500);

  /**
   * A chip's place.
   *
   * @param card the card's id, which is no index: npu-smi calls it NPU
   * @param chip its number on the card
   */
  record Place(int card, int chip) {}

  private final NativeLibrary library;

  /** The driver admits few calls at a time, and the library is not said to bear several. */
  private final OneAtATime turns = new OneAtATime(HANGS_FROM);

  private final MethodHandle cardList;
  private final MethodHandle chipCount;
  private final MethodHandle type;
  private final MethodHandle chipInfo;
  private final MethodHandle logicId;
  private final MethodHandle physicalId;
  private final MethodHandle dieId;
  private final MethodHandle health;
  private final MethodHandle utilization;
  private final MethodHandle memory;
  private final MethodHandle temperature;
  private final MethodHandle power;
  private final MethodHandle cardPower;
  private final MethodHandle processes;

  /**
   * @throws DriverException where the file is no such library, or the driver is not loaded
   */
  Dcmi(Path path) throws DriverException {
    library = new NativeLibrary(path, DcmiReturn.FUNCTION_NOT_FOUND);
    cardList = function("dcmi_get_card_list", ADDRESS, ADDRESS, JAVA_INT);
    chipCount = function("dcmi_get_device_num_in_card", JAVA_INT, ADDRESS);
    type = ofChip("dcmi_get_device_type", ADDRESS);
    chipInfo = ofChip("dcmi_get_device_chip_info", ADDRESS);
    logicId = function("dcmi_get_device_logic_id", ADDRESS, JAVA_INT, JAVA_INT);
    physicalId = function("dcmi_get_device_phyid_from_logicid", JAVA_INT, ADDRESS);
    dieId = ofChip("dcmi_get_device_die_v2", JAVA_INT, ADDRESS);
    health = ofChip("dcmi_get_device_health", ADDRESS);
    utilization = ofChip("dcmi_get_device_utilization_rate", JAVA_INT, ADDRESS);
    memory = ofChip("dcmi_get_device_memory_info_v3", ADDRESS);
    temperature = ofChip("dcmi_get_device_temperature", ADDRESS);
    power = ofChip("dcmi_get_device_power_info", ADDRESS);
    cardPower = function("dcmi_mcu_get_power_info", JAVA_INT, ADDRESS);
    processes = ofChip("dcmi_get_device_resource_info", ADDRESS, ADDRESS);
    int code = call(function("dcmi_init"));
    if (code != DcmiReturn.OK) {
      library.close();
      throw new DriverException(
          Reason.DRIVER_NOT_FOUND,
          "The Ascend driver does not answer (DCMI: error "
              + code
              + "): see that /dev/davinci_manager is there and that npu-smi info works on the node");
    }
  }

  private MethodHandle function(String name, MemoryLayout... parameters) {
    return library.function(new String[] {name}, parameters);
  }

  private MethodHandle ofChip(String name, MemoryLayout... more) {
    var parameters = new ArrayList<MemoryLayout>(List.of(JAVA_INT, JAVA_INT));
    parameters.addAll(List.of(more));
    return function(name, parameters.toArray(MemoryLayout[]::new));
  }

  private int call(MethodHandle function, Object... arguments) {
    return turns.call(() -> NativeLibrary.call(function, arguments));
  }

  /** Where chips of a card may be; it has its controller and CPUs among them. */
  List<Place> places(int card) throws DriverException {
    int count = number(chipCount, card).orElse(0);
    return IntStream.range(0, count).mapToObj(chip -> new Place(card, chip)).toList();
  }

  /** Whether there is a chip; an old driver that does not tell has nothing else there. */
  boolean isChip(Place at) throws DriverException {
    return number(type, at.card(), at.chip()).orElse(NPU) == NPU;
  }

  /** The numbers of the cards. */
  int[] cards() throws DriverException {
    try (var arena = Arena.ofConfined()) {
      var count = arena.allocate(JAVA_INT);
      var list = arena.allocate(JAVA_INT, MOST_CARDS);
      check(call(cardList, count, list, MOST_CARDS));
      return IntStream.range(0, Math.min(MOST_CARDS, count.get(JAVA_INT, 0)))
          .map(index -> list.getAtIndex(JAVA_INT, index))
          .toArray();
    }
  }

  /** Such as {@code 310} or {@code 310P3}. */
  String name(Place at) throws DriverException {
    try (var arena = Arena.ofConfined()) {
      var out = arena.allocate(CHIP_INFO);
      check(call(chipInfo, at.card(), at.chip(), out));
      return out.asSlice(CHIP_NAME, NAME_LENGTH).getString(0, StandardCharsets.UTF_8);
    }
  }

  /** The number in the name of the chip's device node. */
  int physicalId(Place at) throws DriverException {
    try (var arena = Arena.ofConfined()) {
      var logic = arena.allocate(JAVA_INT);
      check(call(logicId, logic, at.card(), at.chip()));
      var physical = arena.allocate(JAVA_INT);
      check(call(physicalId, logic.get(JAVA_INT, 0), physical));
      return physical.get(JAVA_INT, 0);
    }
  }

  /** What is burnt into the chip, in hexadecimal; empty where the driver does not tell. */
  Optional<String> dieId(Place at) throws DriverException {
    try (var arena = Arena.ofConfined()) {
      var out = arena.allocate(JAVA_INT, DIE_NUMBERS);
      return isThere(call(dieId, at.card(), at.chip(), VDIE, out))
          ? Optional.of(
              IntStream.range(0, DIE_NUMBERS)
                  .mapToObj(index -> "%08x".formatted(out.getAtIndex(JAVA_INT, index)))
                  .collect(Collectors.joining("-")))
          : Optional.empty();
    }
  }

  /**
   * 0 well, 1 a warning, 2 a major and 3 a critical alarm.
   *
   * @throws DriverException where the chip has not been started
   */
  OptionalInt health(Place at) throws DriverException {
    var told = number(health, at.card(), at.chip());
    if (told.isPresent() && told.getAsInt() == NOT_STARTED) {
      throw DcmiReturn.exception(DcmiReturn.NOT_READY);
    }
    return told;
  }

  /** The share of time in which the AI cores computed, in percent. */
  OptionalInt utilization(Place at) throws DriverException {
    var told = number(utilization, at.card(), at.chip(), AI_CORE);
    // The driver has values above for chips of which it does not know it.
    return told.isPresent() && told.getAsInt() >= 0 && told.getAsInt() <= 100
        ? told
        : OptionalInt.empty();
  }

  /** In degrees Celsius. */
  OptionalInt temperature(Place at) throws DriverException {
    return number(temperature, at.card(), at.chip());
  }

  /** In tenths of a watt; of the chip, or where only the card is measured of that. */
  OptionalInt power(Place at) throws DriverException {
    var ofChip = number(power, at.card(), at.chip());
    return ofChip.isPresent() ? ofChip : number(cardPower, at.card());
  }

  /**
   * Memory of a chip.
   *
   * @param totalMiB how much there is
   * @param freeMiB how much is not in use, free huge pages included; empty where the driver does
   *     not know
   */
  record Memory(long totalMiB, OptionalLong freeMiB) {}

  Optional<Memory> memory(Place at) throws DriverException {
    try (var arena = Arena.ofConfined()) {
      var out = arena.allocate(MEMORY_INFO, JAVA_LONG.byteAlignment());
      if (!isThere(call(memory, at.card(), at.chip(), out))) {
        return Optional.empty();
      }
      long total = out.get(JAVA_LONG, MEMORY_SIZE);
      long free = out.get(JAVA_LONG, MEMORY_AVAILABLE);
      // What the driver does not know is -1 KiB, which it then turns into as many MiB.
      boolean isKnown = free >= 0 && free <= total;
      return Optional.of(new Memory(total, isKnown ? OptionalLong.of(free) : OptionalLong.empty()));
    }
  }

  /** The processes that hold memory of the chip; empty where the driver does not list them. */
  List<ProcessUse> processes(Place at) throws DriverException {
    try (var arena = Arena.ofConfined()) {
      var list = arena.allocate((long) PROCESS * MOST_PROCESSES, JAVA_LONG.byteAlignment());
      var count = arena.allocate(JAVA_INT);
      if (!isThere(call(processes, at.card(), at.chip(), list, count))) {
        return List.of();
      }
      return IntStream.range(0, Math.min(MOST_PROCESSES, count.get(JAVA_INT, 0)))
          .mapToObj(index -> list.asSlice((long) index * PROCESS, PROCESS))
          .map(
              process ->
                  new ProcessUse(process.get(JAVA_INT, 0), process.get(JAVA_LONG, PROCESS_BYTES)))
          .toList();
    }
  }

  /** A figure that the function writes to its last parameter. */
  private OptionalInt number(MethodHandle function, int... place) throws DriverException {
    try (var arena = Arena.ofConfined()) {
      var out = arena.allocate(JAVA_INT);
      var arguments = new Object[place.length + 1];
      for (int index = 0; index < place.length; index++) {
        arguments[index] = place[index];
      }
      arguments[place.length] = out;
      return isThere(call(function, arguments))
          ? OptionalInt.of(out.get(JAVA_INT, 0))
          : OptionalInt.empty();
    }
  }

  private static boolean isThere(int code) throws DriverException {
    if (DcmiReturn.isAbsent(code)) {
      return false;
    }
    check(code);
    return true;
  }

  private static void check(int code) throws DriverException {
    if (code != DcmiReturn.OK) {
      throw DcmiReturn.exception(code);
    }
  }

  /** The library finds a driver that was loaded anew by itself. */
  @Override
  public boolean isStale() {
    return false;
  }

  @Override
  public void close() {
    library.close();
  }
}
