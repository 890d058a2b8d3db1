package io.baetyl.gpu.metrics.watching;

import io.baetyl.gpu.accelerator.DeviceSource;
import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.Sample;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import java.util.List;

/** A driver that has to ask one device while it looks for all, as NVML does. */
record DiscoveryOf(FakeDriver driver, String asked) implements DeviceSource {
  @Override
  public AcceleratorType type() {
    return driver.type();
  }

  @Override
  public List<FoundDevice> discover() throws DriverException {
    driver.sample(asked);
    return driver.discover();
  }

  @Override
  public Sample sample(String id) throws DriverException {
    return driver.sample(id);
  }

  @Override
  public void close() {}
}
