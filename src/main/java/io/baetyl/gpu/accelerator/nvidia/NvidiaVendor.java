package io.baetyl.gpu.accelerator.nvidia;

import io.baetyl.gpu.accelerator.ContainerAccess;
import io.baetyl.gpu.accelerator.DeviceSource;
import io.baetyl.gpu.accelerator.NodeRoots;
import io.baetyl.gpu.accelerator.Requirements;
import io.baetyl.gpu.accelerator.RuntimeFinding;
import io.baetyl.gpu.accelerator.Vendor;
import io.baetyl.gpu.accelerator.VendorMetrics;
import io.baetyl.gpu.api.v1alpha1.Device;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** NVIDIA cards on amd64, read through NVML. */
public final class NvidiaVendor implements Vendor {
  @Override
  public Requirements requirements() {
    return NvidiaRequirements.REQUIREMENTS;
  }

  @Override
  public VendorMetrics metrics() {
    return DcgmMetrics.METRICS;
  }

  @Override
  public OnNode on(NodeRoots roots) {
    var access = new NvidiaContainerAccess(roots.host(), roots.container());
    var runtime = new NvidiaRuntime(roots.container(), roots.host());
    return new OnNode() {
      @Override
      public DeviceSource devices() {
        return new NvidiaDevices(NvmlPaths.of(roots.container(), roots.host()));
      }

      @Override
      public Function<List<Device>, ContainerAccess> access(List<Device> devices) {
        return access.look(devices);
      }

      @Override
      public RuntimeFinding runtime(
          Collection<String> devices, BooleanSupplier runtimeClassExists) {
        return runtime.look(devices, runtimeClassExists);
      }
    };
  }
}
