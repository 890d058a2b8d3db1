package io.baetyl.gpu.accelerator.bitmain;

import static io.baetyl.gpu.accelerator.library.NativeLibrary.call;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.DriverException.Reason;
import io.baetyl.gpu.accelerator.library.LibraryFile;
import io.baetyl.gpu.accelerator.library.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * Sophgo's library bmlib, loaded: the few of its functions that are needed ({@code
 * bmlib_runtime.h}). A figure that a chip does not offer is empty.
 */
final class BmLib implements LibraryFile.Loaded {
  private static final int SUCCESS = 0;

  /** {@code BM_ERR_NOFEATURE}; also taken for a function that an older library does not have. */
  private static final int NO_FEATURE = 7;

  /** {@code bm_dev_stat_t}: three figures, a count, and three figures of each of four heaps. */
  private static final int STAT = 64;

  private static final int STAT_TOTAL = 0;
  private static final int STAT_USED = 4;
  private static final int STAT_UTILIZATION = 8;

  /** Seventeen characters, and the end. */
  private static final int SERIAL_NUMBER = 32;

  private final NativeLibrary library;
  private final MethodHandle request;
  private final MethodHandle free;
  private final MethodHandle stat;
  private final MethodHandle chipId;
  private final MethodHandle status;
  private final MethodHandle serialNumber;
  private final MethodHandle chipTemperature;
  private final MethodHandle tpuPower;

  /**
   * @throws DriverException where the file is no such library
   */
  BmLib(Path path) throws DriverException {
    library = new NativeLibrary(path, NO_FEATURE);
    request = function("bm_dev_request", ADDRESS, JAVA_INT);
    free = library.procedure("bm_dev_free", ADDRESS);
    stat = function("bm_get_stat", ADDRESS, ADDRESS);
    chipId = function("bm_get_chipid", ADDRESS, ADDRESS);
    status = function("bm_get_status", ADDRESS, ADDRESS);
    serialNumber = function("bm_get_sn", ADDRESS, ADDRESS);
    chipTemperature = function("bm_get_chip_temp", ADDRESS, ADDRESS);
    tpuPower = function("bm_get_tpu_power", ADDRESS, ADDRESS);
  }

  private MethodHandle function(String name, MemoryLayout... parameters) {
    return library.function(new String[] {name}, parameters);
  }

  /**
   * Opens a chip. It is held open for as short as can be, since the driver cannot be unloaded while
   * somebody has one open.
   *
   * @param number of its device node
   */
  Chip open(int number) throws DriverException {
    try (var arena = Arena.ofConfined()) {
      var handle = arena.allocate(ADDRESS);
      int code = call(request, handle, number);
      if (code != SUCCESS) {
        throw new DriverException(
            Reason.DEVICE_LOST,
            "The Sophon driver does not open chip %d (bmlib: error %d): look for bmsophon in the node's kernel log; a reboot of the node helps where nothing else does"
                .formatted(number, code));
      }
      return new Chip(handle.get(ADDRESS, 0));
    }
  }

  /** A chip that is open. */
  final class Chip implements AutoCloseable {
    private final MemorySegment handle;

    private Chip(MemorySegment handle) {
      this.handle = handle;
    }

    /** Such as 0x1684 or 0x1686. */
    OptionalInt id() {
      return number(chipId);
    }

    /** 0 where it works, 1 where it is at fault. */
    OptionalInt status() {
      return number(status);
    }

    /** In degrees Celsius. */
    OptionalInt temperature() {
      return number(chipTemperature);
    }

    private OptionalInt number(MethodHandle function) {
      try (var arena = Arena.ofConfined()) {
        var out = arena.allocate(JAVA_INT);
        int code = call(function, handle, out);
        int value = out.get(JAVA_INT, 0);
        return code == SUCCESS ? told(value) : OptionalInt.empty();
      }
    }

    /** In watts. */
    OptionalDouble power() {
      try (var arena = Arena.ofConfined()) {
        var out = arena.allocate(JAVA_FLOAT);
        int code = call(tpuPower, handle, out);
        float watts = out.get(JAVA_FLOAT, 0);
        return code == SUCCESS && watts >= 0 && watts < 1000
            ? OptionalDouble.of(Math.round(watts * 1000) / 1000.0)
            : OptionalDouble.empty();
      }
    }

    /** Of the card, which its chips share. */
    Optional<String> serialNumber() {
      try (var arena = Arena.ofConfined()) {
        var out = arena.allocate(SERIAL_NUMBER);
        return call(serialNumber, handle, out) == SUCCESS
            ? Optional.of(out.getString(0, StandardCharsets.US_ASCII).strip())
                .filter(ChipFiles::isSerial)
            : Optional.empty();
      }
    }

    Stat stat() {
      try (var arena = Arena.ofConfined()) {
        var out = arena.allocate(STAT, JAVA_INT.byteAlignment());
        return call(stat, handle, out) == SUCCESS
            ? new Stat(
                told(out.get(JAVA_INT, STAT_TOTAL)),
                told(out.get(JAVA_INT, STAT_USED)),
                told(out.get(JAVA_INT, STAT_UTILIZATION)))
            : new Stat(OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty());
      }
    }

    @Override
    public void close() {
      NativeLibrary.run(free, handle);
    }
  }

  /**
   * What a chip does.
   *
   * @param totalMiB its memory
   * @param usedMiB how much of it is in use
   * @param utilizationPercent the share of time in which the TPU computed
   */
  record Stat(OptionalInt totalMiB, OptionalInt usedMiB, OptionalInt utilizationPercent) {

    /** How much of its memory is not in use. */
    OptionalInt freeMiB() {
      return totalMiB.isPresent() && usedMiB.isPresent()
          ? OptionalInt.of(totalMiB.getAsInt() - usedMiB.getAsInt())
          : OptionalInt.empty();
    }
  }

  /**
   * The driver writes {@code ATTR_FAULT_VALUE} (0xFFFFFC00) where it cannot read a figure, {@code
   * ATTR_NOTSUPPORTED_VALUE} (0xFFFFFC01) where there is none, or no longer is as nobody measures
   * it, and -1 in places: no figure that is asked for here can be negative.
   */
  private static OptionalInt told(int value) {
    return value >= 0 ? OptionalInt.of(value) : OptionalInt.empty();
  }

  @Override
  public boolean isStale() {
    return false;
  }

  @Override
  public void close() {
    library.close();
  }
}
