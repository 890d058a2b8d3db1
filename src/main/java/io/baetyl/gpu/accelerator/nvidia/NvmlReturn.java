package io.baetyl.gpu.accelerator.nvidia;

import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.DriverException.Reason;

/** NVML's return codes, {@code nvmlReturn_t}, as far as they are told apart here. */
final class NvmlReturn {
  static final int SUCCESS = 0;
  static final int ERROR_UNINITIALIZED = 1;
  static final int ERROR_NOT_SUPPORTED = 3;
  static final int ERROR_NO_PERMISSION = 4;
  static final int ERROR_NOT_FOUND = 6;
  static final int ERROR_INSUFFICIENT_SIZE = 7;
  static final int ERROR_DRIVER_NOT_LOADED = 9;
  static final int ERROR_TIMEOUT = 10;
  static final int ERROR_FUNCTION_NOT_FOUND = 13;
  static final int ERROR_GPU_IS_LOST = 15;
  static final int ERROR_RESET_REQUIRED = 16;
  static final int ERROR_OPERATING_SYSTEM = 17;
  static final int ERROR_LIB_RM_VERSION_MISMATCH = 18;
  static final int ERROR_NO_DATA = 21;
  static final int ERROR_UNKNOWN = 999;

  private NvmlReturn() {}

  /** Whether a card or driver just does not offer a figure, which is no fault. */
  static boolean isAbsent(int code) {
    return switch (code) {
      case ERROR_NOT_SUPPORTED, ERROR_NO_PERMISSION, ERROR_FUNCTION_NOT_FOUND, ERROR_NO_DATA ->
          true;
      // Other codes are faults; NVML may grow more of them.
      default -> false;
    };
  }

  /** Whether a card is counted, but cannot be used before a reset or reboot. */
  static boolean isLost(int code) {
    return switch (code) {
      case ERROR_GPU_IS_LOST, ERROR_RESET_REQUIRED, ERROR_NOT_FOUND -> true;
      // Other codes are about the driver, not about one card.
      default -> false;
    };
  }

  /**
   * Whether the library has to be loaded anew before it can work again. A library that has once met
   * another driver than its own never recovers.
   */
  static boolean isStale(int code) {
    return switch (code) {
      case ERROR_UNINITIALIZED, ERROR_DRIVER_NOT_LOADED, ERROR_LIB_RM_VERSION_MISMATCH -> true;
      default -> false;
    };
  }

  /** What a code means for the whole node or for one card, in words that say what to do. */
  static DriverException exception(int code) {
    return switch (code) {
      case ERROR_NO_PERMISSION ->
          failed(
              "NVML may not open the card's device nodes: run the agent as root, with the host's"
                  + " /dev mounted");
      case ERROR_NOT_FOUND ->
          new DriverException(
              Reason.DEVICE_REMOVED,
              "The driver does not know the card any more: it was removed or has fallen off the"
                  + " bus. Look for Xid 79 in the kernel log, reseat the card, reboot the node");
      case ERROR_UNINITIALIZED, ERROR_DRIVER_NOT_LOADED ->
          new DriverException(
              Reason.DRIVER_NOT_FOUND,
              "The NVIDIA kernel module is not loaded: install NVIDIA's driver, or run modprobe"
                  + " nvidia, and see that nvidia-smi works on the node");
      case ERROR_TIMEOUT -> failed("The NVIDIA driver timed out. Look for NVRM in the kernel log");
      case ERROR_GPU_IS_LOST ->
          new DriverException(
              Reason.DEVICE_LOST,
              "The card has fallen off the bus or does not answer (NVML: GPU is lost). Look for Xid"
                  + " 79 in the kernel log; it comes back after a reset or a reboot of the node");
      case ERROR_RESET_REQUIRED ->
          new DriverException(
              Reason.DEVICE_LOST,
              "The card requires a reset: end its processes, then run nvidia-smi --gpu-reset or"
                  + " reboot the node");
      case ERROR_OPERATING_SYSTEM ->
          failed(
              "The operating system blocks access to the card, as after a reload of systemd took the"
                  + " container's device rights: restart this agent");
      case ERROR_LIB_RM_VERSION_MISMATCH ->
          new DriverException(
              Reason.DRIVER_MISMATCH,
              "NVIDIA's library and kernel module are of different versions: the driver was updated"
                  + " while it was loaded. Reboot the node, or unload and load the nvidia modules");
      case ERROR_UNKNOWN ->
          failed(
              "The NVIDIA driver reports an unknown error. If nvidia-smi works on the node, restart"
                  + " this agent; else look for NVRM in the kernel log and reboot");
      default -> failed("The NVIDIA driver reports error " + code + " of NVML");
    };
  }

  private static DriverException failed(String message) {
    return new DriverException(Reason.DRIVER_FAILED, message);
  }
}
