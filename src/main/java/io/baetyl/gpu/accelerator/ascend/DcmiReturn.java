package io.baetyl.gpu.accelerator.ascend;

import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.DriverException.Reason;

/** DCMI's return codes, as far as they are told apart here ({@code dcmi_interface_api.h}). */
final class DcmiReturn {
  static final int OK = 0;
  static final int NOT_PERMITTED = -8002;
  static final int TIMEOUT = -8006;
  static final int INVALID_DEVICE = -8007;
  static final int DEVICE_NOT_EXIST = -8008;
  static final int NOT_READY = -8012;
  static final int IN_CONTAINER = -8013;
  static final int NOT_SUPPORTED = -8255;

  /** Ours, for a function that an older library does not have. */
  static final int FUNCTION_NOT_FOUND = -99999;

  private DcmiReturn() {}

  /** Whether a chip or driver just does not offer a figure, which is no fault. */
  static boolean isAbsent(int code) {
    return switch (code) {
      case NOT_PERMITTED, IN_CONTAINER, NOT_SUPPORTED, FUNCTION_NOT_FOUND -> true;
      // Other codes are faults; DCMI may grow more of them.
      default -> false;
    };
  }

  /** What a code means, in words that say what to do. */
  static DriverException exception(int code) {
    return switch (code) {
      case NOT_PERMITTED ->
          failed(
              "DCMI may not open the chip's device nodes: run the agent as root, with the host's /dev mounted");
      case INVALID_DEVICE, DEVICE_NOT_EXIST ->
          new DriverException(
              Reason.DEVICE_LOST,
              "The driver does not reach the chip any more (DCMI: it does not exist): look for drv_pcie in the node's kernel log; it comes back after a reset or a reboot");
      case NOT_READY ->
          new DriverException(
              Reason.DEVICE_LOST,
              "The chip is not ready: it starts, or is being reset. npu-smi info on the node tells");
      case TIMEOUT ->
          failed("The Ascend driver timed out. Look for drv_pcie in the node's kernel log");
      default ->
          failed(
              "The Ascend driver reports error "
                  + code
                  + " of DCMI; npu-smi info on the node tells more");
    };
  }

  private static DriverException failed(String message) {
    return new DriverException(Reason.DRIVER_FAILED, message);
  }
}
