package io.baetyl.gpu.accelerator;

/**
 * The driver is missing, or it or a device does not work. The message says what is wrong and what
 * to do.
 */
public final class DriverException extends Exception {
  private static final long serialVersionUID = 1L;

  /** What is wrong, as a condition's reason. */
  public enum Reason {
    /** The vendor's library, module or device nodes are not there. */
    DRIVER_NOT_FOUND("DriverNotFound"),
    /** The library does not fit the kernel module: the driver was updated without a reboot. */
    DRIVER_MISMATCH("DriverMismatch"),
    /** One device does not answer any more. */
    DEVICE_LOST("DeviceLost"),
    /** The driver answers and knows no such device (any more). */
    DEVICE_REMOVED("DeviceRemoved"),
    /** Anything else that the driver reports. */
    DRIVER_FAILED("DriverFailed");

    private final String value;

    Reason(String value) {
      this.value = value;
    }

    /** The condition's reason. */
    public String value() {
      return value;
    }
  }

  private final Reason reason;

  public DriverException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
