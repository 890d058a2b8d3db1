package io.baetyl.gpu.accelerator;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import java.util.List;

/**
 * The accelerators of this node, read through the vendor's library, files or tool. A call takes as
 * long as the driver does, for ever if that hangs: the caller keeps the clock. Devices may be
 * sampled by several threads at once, each device by one, while another discovers.
 */
public interface DeviceSource extends AutoCloseable {

  AcceleratorType type();

  /**
   * The devices that are here now; empty where the driver answers and knows none.
   *
   * @throws DriverException where the driver is missing or does not work; its message says what to
   *     do
   */
  List<FoundDevice> discover() throws DriverException;

  /**
   * The figures of one device.
   *
   * @param id the {@link FoundDevice#id}
   * @throws DriverException where the device is lost, or is none of this node
   */
  Sample sample(String id) throws DriverException;

  /** Where a person sees why the driver hangs, as an order. */
  default String whereHangsShow() {
    return "look at the node's kernel log";
  }

  /** Lets go of the library. */
  @Override
  void close();
}
