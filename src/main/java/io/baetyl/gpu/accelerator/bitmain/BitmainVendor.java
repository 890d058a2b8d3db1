package io.baetyl.gpu.accelerator.bitmain;

import io.baetyl.gpu.accelerator.ContainerAccess;
import io.baetyl.gpu.accelerator.DeviceSource;
import io.baetyl.gpu.accelerator.NodeRoots;
import io.baetyl.gpu.accelerator.Requirements;
import io.baetyl.gpu.accelerator.Requirements.DeviceResource;
import io.baetyl.gpu.accelerator.Requirements.Driver;
import io.baetyl.gpu.accelerator.RuntimeFinding;
import io.baetyl.gpu.accelerator.Vendor;
import io.baetyl.gpu.accelerator.VendorMetrics;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.Device;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** Bitmain/Sophgo BM1684 and BM1684X, on cards and in boxes. */
public final class BitmainVendor implements Vendor {
  private static final Requirements REQUIREMENTS =
      new Requirements(
          AcceleratorType.BITMAIN,
          Set.of("amd64", "arm64"),
          List.of("/opt"),
          new Driver(List.of(), List.of("/opt/sophon/libsophon-current/lib"), Map.of()),
          // There is none: containers need no more than device nodes and files.
          "sophon",
          List.of(
              new DeviceResource("bitmain.com/bm1684x", "BM1684X", 1),
              new DeviceResource("bitmain.com/bm1684", "BM1684", 1)),
          Set.of(AllocationMode.DEVICES));

  @Override
  public Requirements requirements() {
    return REQUIREMENTS;
  }

  @Override
  public VendorMetrics metrics() {
    return SophonMetrics.METRICS;
  }

  @Override
  public OnNode on(NodeRoots roots) {
    var access = new BitmainContainerAccess(roots);
    return new OnNode() {
      @Override
      public DeviceSource devices() {
        return new BitmainDevices(roots);
      }

      @Override
      public Function<List<Device>, ContainerAccess> access(List<Device> devices) {
        return access.look();
      }

      @Override
      public RuntimeFinding runtime(
          Collection<String> devices, BooleanSupplier runtimeClassExists) {
        return access.hasControlNode()
            ? new RuntimeFinding(
                true,
                "DeviceNodes",
                "Containers get the device nodes of their chips and the node's /opt/sophon")
            : new RuntimeFinding(
                false,
                "NoDeviceNodes",
                "The node has no /dev/bmdev-ctl: install Sophgo's driver, and see that bm-smi works on the node");
      }
    };
  }
}
