package io.baetyl.gpu.accelerator.nvidia;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;
import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.sequenceLayout;
import static java.lang.foreign.MemoryLayout.structLayout;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.StructLayout;

/** The structures of nvml.h on 64-bit Linux, with the header's names. */
final class NvmlStructs {
  /** Room for a name or UUID, its end included: {@code NVML_DEVICE_UUID_V2_BUFFER_SIZE}. */
  static final int BUFFER_SIZE = 96;

  /** {@code nvmlMemory_t}. */
  static final StructLayout MEMORY =
      structLayout(
          JAVA_LONG.withName("total"), JAVA_LONG.withName("free"), JAVA_LONG.withName("used"));

  /** {@code nvmlMemory_v2_t}; it keeps what the driver reserves out of {@code used}. */
  static final StructLayout MEMORY_V2 =
      structLayout(
          JAVA_INT.withName("version"),
          paddingLayout(4),
          JAVA_LONG.withName("total"),
          JAVA_LONG.withName("reserved"),
          JAVA_LONG.withName("free"),
          JAVA_LONG.withName("used"));

  /** {@code nvmlUtilization_t}. */
  static final StructLayout UTILIZATION =
      structLayout(JAVA_INT.withName("gpu"), JAVA_INT.withName("memory"));

  /** {@code nvmlPciInfo_t}. */
  static final StructLayout PCI_INFO =
      structLayout(
          sequenceLayout(16, JAVA_BYTE).withName("busIdLegacy"),
          JAVA_INT.withName("domain"),
          JAVA_INT.withName("bus"),
          JAVA_INT.withName("device"),
          JAVA_INT.withName("pciDeviceId"),
          JAVA_INT.withName("pciSubSystemId"),
          sequenceLayout(32, JAVA_BYTE).withName("busId"));

  /** {@code nvmlProcessInfo_v1_t}, of the function without a suffix. */
  static final StructLayout PROCESS_INFO_V1 =
      structLayout(JAVA_INT.withName("pid"), paddingLayout(4), JAVA_LONG.withName("usedGpuMemory"));

  /** {@code nvmlProcessInfo_t}, of {@code _v2} and {@code _v3}. */
  static final StructLayout PROCESS_INFO =
      structLayout(
          JAVA_INT.withName("pid"),
          paddingLayout(4),
          JAVA_LONG.withName("usedGpuMemory"),
          JAVA_INT.withName("gpuInstanceId"),
          JAVA_INT.withName("computeInstanceId"));

  /** {@code nvmlEventData_t}; that of the function without a suffix ends before the instances. */
  static final StructLayout EVENT_DATA =
      structLayout(
          ADDRESS.withName("device"),
          JAVA_LONG.withName("eventType"),
          JAVA_LONG.withName("eventData"),
          JAVA_INT.withName("gpuInstanceId"),
          JAVA_INT.withName("computeInstanceId"));

  static final long MEMORY_TOTAL = offset(MEMORY, "total");
  static final long MEMORY_FREE = offset(MEMORY, "free");
  static final long MEMORY_USED = offset(MEMORY, "used");
  static final long MEMORY_V2_TOTAL = offset(MEMORY_V2, "total");
  static final long MEMORY_V2_FREE = offset(MEMORY_V2, "free");
  static final long MEMORY_V2_USED = offset(MEMORY_V2, "used");
  static final long UTILIZATION_GPU = offset(UTILIZATION, "gpu");
  static final long PCI_INFO_BUS_ID = offset(PCI_INFO, "busId");
  static final long PROCESS_INFO_PID = offset(PROCESS_INFO, "pid");
  static final long PROCESS_INFO_USED_GPU_MEMORY = offset(PROCESS_INFO, "usedGpuMemory");

  static final long EVENT_DATA_TYPE = offset(EVENT_DATA, "eventType");
  static final long EVENT_DATA_DATA = offset(EVENT_DATA, "eventData");

  private NvmlStructs() {}

  /** The value of a structure's {@code version}: its size, and its number in the top byte. */
  static int version(StructLayout struct, int number) {
    return Math.toIntExact(struct.byteSize()) | number << 24;
  }

  private static long offset(StructLayout struct, String field) {
    return struct.byteOffset(groupElement(field));
  }
}
