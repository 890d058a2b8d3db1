package io.baetyl.gpu.accelerator.nvidia;

import static io.baetyl.gpu.accelerator.library.NativeLibrary.call;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.baetyl.gpu.accelerator.library.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The errors that the driver reports of cards by number (Xid), as NVML's events. Each card has a
 * set of events of its own, so that a card that hangs keeps no other one's events back.
 */
final class NvmlXids {
  /** {@code nvmlEventTypeXidCriticalError}. */
  private static final long XID_CRITICAL_ERROR = 0x8;

  /** A card may report without end; what is left is read the next time. */
  private static final int MOST_AT_ONCE = 64;

  /** Of a card that reports no errors, or whose driver is too old for that. */
  private static final MemorySegment NONE = MemorySegment.NULL;

  private static final Logger LOG = LoggerFactory.getLogger(NvmlXids.class);

  private final MethodHandle create;
  private final MethodHandle register;
  private final MethodHandle next;
  private final MethodHandle free;
  private final Map<String, MemorySegment> sets = new ConcurrentHashMap<>();

  NvmlXids(NativeLibrary library) {
    create = library.function(new String[] {"nvmlEventSetCreate"}, ADDRESS);
    register =
        library.function(new String[] {"nvmlDeviceRegisterEvents"}, ADDRESS, JAVA_LONG, ADDRESS);
    next =
        library.function(
            new String[] {"nvmlEventSetWait_v2", "nvmlEventSetWait"}, ADDRESS, ADDRESS, JAVA_INT);
    free = library.function(new String[] {"nvmlEventSetFree"}, ADDRESS);
  }

  /**
   * Adds the Xids that a card has reported since the last call, oldest first; the first call begins
   * to listen. For one card it may be called by one thread at a time.
   *
   * @return the {@link NvmlReturn} code: an error only where the card is at fault
   */
  int read(String uuid, MemorySegment device, List<Integer> xids) {
    var set = sets.get(uuid);
    if (set == null) {
      return listen(uuid, device);
    }
    if (set.equals(NONE)) {
      return NvmlReturn.SUCCESS;
    }
    int code = drain(set, xids);
    if (code != NvmlReturn.SUCCESS) {
      forget(uuid);
    }
    return code;
  }

  private int listen(String uuid, MemorySegment device) {
    try (var arena = Arena.ofConfined()) {
      var out = arena.allocate(ADDRESS);
      int code = call(create, out);
      if (code == NvmlReturn.SUCCESS) {
        var set = out.get(ADDRESS, 0);
        code = call(register, device, XID_CRITICAL_ERROR, set);
        if (code == NvmlReturn.SUCCESS) {
          sets.put(uuid, set);
          return code;
        }
        call(free, set);
      }
      if (NvmlReturn.isLost(code) || NvmlReturn.isStale(code)) {
        return code;
      }
      LOG.info("The driver reports no errors of a card. uuid={} nvml={}", uuid, code);
      sets.put(uuid, NONE);
      return NvmlReturn.SUCCESS;
    }
  }

  private int drain(MemorySegment set, List<Integer> xids) {
    try (var arena = Arena.ofConfined()) {
      var event = arena.allocate(NvmlStructs.EVENT_DATA);
      int code = NvmlReturn.SUCCESS;
      for (int i = 0; i < MOST_AT_ONCE && code == NvmlReturn.SUCCESS; i++) {
        code = call(next, set, event, 0);
        if (code == NvmlReturn.SUCCESS
            && event.get(JAVA_LONG, NvmlStructs.EVENT_DATA_TYPE) == XID_CRITICAL_ERROR) {
          xids.add(Math.toIntExact(event.get(JAVA_LONG, NvmlStructs.EVENT_DATA_DATA)));
        }
      }
      return code == NvmlReturn.ERROR_TIMEOUT || NvmlReturn.isAbsent(code)
          ? NvmlReturn.SUCCESS
          : code;
    }
  }

  /** Listens no more to a card that is lost: one that comes back has to be listened to anew. */
  void forget(String uuid) {
    var set = sets.remove(uuid);
    if (set != null && !set.equals(NONE)) {
      call(free, set);
    }
  }
}
