package io.baetyl.gpu.accelerator.nvidia;

import static io.baetyl.gpu.accelerator.library.NativeLibrary.call;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.baetyl.gpu.accelerator.Sample.ProcessUse;
import io.baetyl.gpu.accelerator.library.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** NVML's lists of the processes on a card, in the newest form that the library has. */
final class NvmlProcesses {
  /** Room for processes that start between the question how many there are and the answer. */
  private static final int SPARE = 8;

  /** What NVML gives where it does not know a process's memory. */
  private static final long NOT_AVAILABLE = -1;

  private final List<MethodHandle> lists;
  private final StructLayout struct;

  NvmlProcesses(NativeLibrary library) {
    // The first form of the function has a shorter structure than those with a suffix.
    boolean versioned =
        library.has("nvmlDeviceGetComputeRunningProcesses_v3")
            || library.has("nvmlDeviceGetComputeRunningProcesses_v2");
    this.struct = versioned ? NvmlStructs.PROCESS_INFO : NvmlStructs.PROCESS_INFO_V1;
    this.lists =
        List.of(
            list(library, "nvmlDeviceGetComputeRunningProcesses", versioned),
            list(library, "nvmlDeviceGetGraphicsRunningProcesses", versioned));
  }

  private static MethodHandle list(NativeLibrary library, String name, boolean versioned) {
    var names = versioned ? new String[] {name + "_v3", name + "_v2"} : new String[] {name};
    return library.function(names, ADDRESS, ADDRESS, ADDRESS);
  }

  /**
   * Adds what each process holds of a card. One that both computes and draws is in both of NVML's
   * lists, with the same figure; one whose memory is not known is left out.
   *
   * @return the {@link NvmlReturn} code: an error only where the card is at fault
   */
  int read(MemorySegment device, List<ProcessUse> uses) {
    var byPid = new TreeMap<Integer, ProcessUse>();
    for (var list : lists) {
      int code = read(list, device, byPid);
      if (code != NvmlReturn.SUCCESS && !NvmlReturn.isAbsent(code)) {
        return code;
      }
    }
    uses.addAll(byPid.values());
    return NvmlReturn.SUCCESS;
  }

  private int read(MethodHandle list, MemorySegment device, Map<Integer, ProcessUse> byPid) {
    try (var arena = Arena.ofConfined()) {
      var count = arena.allocate(JAVA_INT);
      int code = call(list, device, count, MemorySegment.NULL);
      if (code != NvmlReturn.ERROR_INSUFFICIENT_SIZE) {
        return code;
      }
      int room = count.get(JAVA_INT, 0) + SPARE;
      var processes = arena.allocate(struct, room);
      count.set(JAVA_INT, 0, room);
      code = call(list, device, count, processes);
      if (code == NvmlReturn.SUCCESS) {
        copy(processes, count.get(JAVA_INT, 0), byPid);
      }
      return code;
    }
  }

  private void copy(MemorySegment processes, int count, Map<Integer, ProcessUse> byPid) {
    for (int i = 0; i < count; i++) {
      var process = processes.asSlice(i * struct.byteSize(), struct.byteSize());
      int pid = process.get(JAVA_INT, NvmlStructs.PROCESS_INFO_PID);
      long bytes = process.get(JAVA_LONG, NvmlStructs.PROCESS_INFO_USED_GPU_MEMORY);
      if (bytes != NOT_AVAILABLE) {
        byPid.put(pid, new ProcessUse(pid, bytes));
      }
    }
  }
}
