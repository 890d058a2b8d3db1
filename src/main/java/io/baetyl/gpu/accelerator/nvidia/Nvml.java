package io.baetyl.gpu.accelerator.nvidia;

import static io.baetyl.gpu.accelerator.library.NativeLibrary.call;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.Sample.ProcessUse;
import io.baetyl.gpu.accelerator.library.LibraryFile;
import io.baetyl.gpu.accelerator.library.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * NVIDIA's management library, loaded and initialised: the few of its functions that are needed.
 * Like the library itself it may be used by several threads at once. A figure that a card does not
 * offer, or that the driver is too old for, is empty.
 */
final class Nvml implements LibraryFile.Loaded {
  private static final int TEMPERATURE_GPU = 0;
  private static final int MIG_ENABLED = 1;

  /**
   * A card's memory in bytes.
   *
   * @param used by processes; an old driver adds what it keeps for itself
   */
  record Memory(long total, long free, long used) {}

  private final NativeLibrary library;
  private final MethodHandle shutdown;
  private final MethodHandle count;
  private final MethodHandle handleByIndex;
  private final MethodHandle handleByUuid;
  private final MethodHandle uuid;
  private final MethodHandle name;
  private final MethodHandle minorNumber;
  private final MethodHandle pciInfo;
  private final MethodHandle memory;
  private final MethodHandle memoryV2;
  private final MethodHandle utilization;
  private final MethodHandle temperature;
  private final MethodHandle power;
  private final MethodHandle migMode;
  private final NvmlProcesses processes;
  private final NvmlXids xids;
  private volatile boolean stale;

  /**
   * Loads and initialises the library.
   *
   * @throws DriverException where the file is no such library, or finds no driver of its version
   */
  Nvml(Path path) throws DriverException {
    library = new NativeLibrary(path, NvmlReturn.ERROR_FUNCTION_NOT_FOUND);
    shutdown = function("nvmlShutdown");
    count = function("nvmlDeviceGetCount_v2", ADDRESS);
    handleByIndex = function("nvmlDeviceGetHandleByIndex_v2", JAVA_INT, ADDRESS);
    handleByUuid = function("nvmlDeviceGetHandleByUUID", ADDRESS, ADDRESS);
    uuid = function("nvmlDeviceGetUUID", ADDRESS, ADDRESS, JAVA_INT);
    name = function("nvmlDeviceGetName", ADDRESS, ADDRESS, JAVA_INT);
    minorNumber = function("nvmlDeviceGetMinorNumber", ADDRESS, ADDRESS);
    pciInfo = function("nvmlDeviceGetPciInfo_v3", ADDRESS, ADDRESS);
    memory = function("nvmlDeviceGetMemoryInfo", ADDRESS, ADDRESS);
    memoryV2 = function("nvmlDeviceGetMemoryInfo_v2", ADDRESS, ADDRESS);
    utilization = function("nvmlDeviceGetUtilizationRates", ADDRESS, ADDRESS);
    temperature = function("nvmlDeviceGetTemperature", ADDRESS, JAVA_INT, ADDRESS);
    power = function("nvmlDeviceGetPowerUsage", ADDRESS, ADDRESS);
    migMode = function("nvmlDeviceGetMigMode", ADDRESS, ADDRESS, ADDRESS);
    processes = new NvmlProcesses(library);
    xids = new NvmlXids(library);
    try {
      check(call(function("nvmlInit_v2")));
    } catch (DriverException notUsable) {
      library.close();
      throw notUsable;
    }
  }

  private MethodHandle function(String name, MemoryLayout... parameters) {
    return library.function(new String[] {name}, parameters);
  }

  /** How many cards there are, lost ones included where the driver still counts them. */
  int count() throws DriverException {
    try (var arena = Arena.ofConfined()) {
      var out = arena.allocate(JAVA_INT);
      check(call(count, out));
      return out.get(JAVA_INT, 0);
    }
  }

  /** A card by its number; empty where it is counted but lost, or gone since it was counted. */
  Optional<MemorySegment> device(int index) throws DriverException {
    try (var arena = Arena.ofConfined()) {
      var out = arena.allocate(ADDRESS);
      int code = call(handleByIndex, index, out);
      if (NvmlReturn.isLost(code)) {
        return Optional.empty();
      }
      check(code);
      return Optional.of(out.get(ADDRESS, 0));
    }
  }

  /** A card by its UUID. */
  MemorySegment device(String uuid) throws DriverException {
    try (var arena = Arena.ofConfined()) {
      var out = arena.allocate(ADDRESS);
      check(call(handleByUuid, arena.allocateFrom(uuid), out));
      return out.get(ADDRESS, 0);
    }
  }

  String uuid(MemorySegment device) throws DriverException {
    return text(uuid, device);
  }

  String name(MemorySegment device) throws DriverException {
    return text(name, device);
  }

  private String text(MethodHandle function, MemorySegment device) throws DriverException {
    try (var arena = Arena.ofConfined()) {
      var buffer = arena.allocate(NvmlStructs.BUFFER_SIZE);
      check(call(function, device, buffer, NvmlStructs.BUFFER_SIZE));
      return buffer.getString(0);
    }
  }

  /** The number in the name of the card's device node. */
  OptionalInt minorNumber(MemorySegment device) throws DriverException {
    return number(minorNumber, device);
  }

  /** In milliwatts. */
  OptionalInt power(MemorySegment device) throws DriverException {
    return number(power, device);
  }

  private OptionalInt number(MethodHandle function, MemorySegment device) throws DriverException {
    try (var arena = Arena.ofConfined()) {
      var out = arena.allocate(JAVA_INT);
      return isThere(call(function, device, out))
          ? OptionalInt.of(out.get(JAVA_INT, 0))
          : OptionalInt.empty();
    }
  }

  /** In degrees Celsius. */
  OptionalInt temperature(MemorySegment device) throws DriverException {
    try (var arena = Arena.ofConfined()) {
      var out = arena.allocate(JAVA_INT);
      return isThere(call(temperature, device, TEMPERATURE_GPU, out))
          ? OptionalInt.of(out.get(JAVA_INT, 0))
          : OptionalInt.empty();
    }
  }

  /** The share of time in which the card computed, in percent. */
  OptionalInt utilization(MemorySegment device) throws DriverException {
    try (var arena = Arena.ofConfined()) {
      var out = arena.allocate(NvmlStructs.UTILIZATION);
      return isThere(call(utilization, device, out))
          ? OptionalInt.of(out.get(JAVA_INT, NvmlStructs.UTILIZATION_GPU))
          : OptionalInt.empty();
    }
  }

  /** The address on the PCI bus, such as {@code 00000000:03:00.0}. */
  Optional<String> pciAddress(MemorySegment device) throws DriverException {
    try (var arena = Arena.ofConfined()) {
      var out = arena.allocate(NvmlStructs.PCI_INFO);
      return isThere(call(pciInfo, device, out))
          ? Optional.of(out.getString(NvmlStructs.PCI_INFO_BUS_ID))
          : Optional.empty();
    }
  }

  /** Whether the card is partitioned (Multi-Instance GPU). */
  boolean isMigEnabled(MemorySegment device) throws DriverException {
    try (var arena = Arena.ofConfined()) {
      var current = arena.allocate(JAVA_INT);
      var pending = arena.allocate(JAVA_INT);
      return isThere(call(migMode, device, current, pending))
          && current.get(JAVA_INT, 0) == MIG_ENABLED;
    }
  }

  Optional<Memory> memory(MemorySegment device) throws DriverException {
    try (var arena = Arena.ofConfined()) {
      var v2 = arena.allocate(NvmlStructs.MEMORY_V2);
      v2.set(JAVA_INT, 0, NvmlStructs.version(NvmlStructs.MEMORY_V2, 2));
      int code = call(memoryV2, device, v2);
      if (code == NvmlReturn.SUCCESS) {
        return Optional.of(
            new Memory(
                v2.get(JAVA_LONG, NvmlStructs.MEMORY_V2_TOTAL),
                v2.get(JAVA_LONG, NvmlStructs.MEMORY_V2_FREE),
                v2.get(JAVA_LONG, NvmlStructs.MEMORY_V2_USED)));
      }
      if (!NvmlReturn.isAbsent(code)) {
        check(code);
      }
      var v1 = arena.allocate(NvmlStructs.MEMORY);
      return isThere(call(memory, device, v1))
          ? Optional.of(
              new Memory(
                  v1.get(JAVA_LONG, NvmlStructs.MEMORY_TOTAL),
                  v1.get(JAVA_LONG, NvmlStructs.MEMORY_FREE),
                  v1.get(JAVA_LONG, NvmlStructs.MEMORY_USED)))
          : Optional.empty();
    }
  }

  /** The processes that hold memory of the card; empty where the card does not list them. */
  List<ProcessUse> processes(MemorySegment device) throws DriverException {
    var uses = new ArrayList<ProcessUse>();
    check(processes.read(device, uses));
    return uses;
  }

  /**
   * The errors that the driver has reported of a card since they were last asked for, by their
   * numbers. The first time begins to listen.
   */
  List<Integer> xids(String uuid, MemorySegment device) throws DriverException {
    var reported = new ArrayList<Integer>();
    check(xids.read(uuid, device, reported));
    return reported;
  }

  /** A card is lost: the next time begins to listen anew. */
  void forgetXids(String uuid) {
    xids.forget(uuid);
  }

  @Override
  public boolean isStale() {
    return stale;
  }

  private boolean isThere(int code) throws DriverException {
    if (NvmlReturn.isAbsent(code)) {
      return false;
    }
    check(code);
    return true;
  }

  private void check(int code) throws DriverException {
    if (code != NvmlReturn.SUCCESS) {
      stale |= NvmlReturn.isStale(code);
      throw NvmlReturn.exception(code);
    }
  }

  @Override
  public void close() {
    call(shutdown);
    library.close();
  }
}
