package io.baetyl.gpu.accelerator.jetson;

import io.baetyl.gpu.accelerator.ContainerAccess;
import io.baetyl.gpu.accelerator.DeviceSource;
import io.baetyl.gpu.accelerator.NodeRoots;
import io.baetyl.gpu.accelerator.Requirements;
import io.baetyl.gpu.accelerator.RuntimeFinding;
import io.baetyl.gpu.accelerator.Vendor;
import io.baetyl.gpu.accelerator.VendorMetrics;
import io.baetyl.gpu.accelerator.cdi.CdiSpecs;
import io.baetyl.gpu.api.v1alpha1.Device;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** NVIDIA Jetson modules on arm64: one integrated GPU, read from the kernel's files. */
public final class JetsonVendor implements Vendor {
  @Override
  public Requirements requirements() {
    return JetsonRequirements.REQUIREMENTS;
  }

  @Override
  public VendorMetrics metrics() {
    return VendorMetrics.NONE;
  }

  @Override
  public OnNode on(NodeRoots roots) {
    var specs = CdiSpecs.of(roots.host(), "nvidia.com/gpu");
    var access = new JetsonContainerAccess(roots, specs);
    return new OnNode() {
      @Override
      public DeviceSource devices() {
        return new JetsonDevices(roots);
      }

      @Override
      public Function<List<Device>, ContainerAccess> access(List<Device> devices) {
        var looked = access.look();
        return some -> looked;
      }

      @Override
      public RuntimeFinding runtime(
          Collection<String> devices, BooleanSupplier runtimeClassExists) {
        var looked = access.look();
        return JetsonRuntime.judge(
            new JetsonRuntime.Facts(
                !looked.cdiDevices().isEmpty(),
                JetsonContainerAccess.isInjected(roots),
                looked.deviceNodes().size(),
                !looked.mounts().isEmpty(),
                runtimeClassExists.getAsBoolean()));
      }
    };
  }
}
