package io.baetyl.gpu.accelerator.ascend;

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

/** Huawei Ascend 310 and 310P, on Atlas cards and boards. */
public final class AscendVendor implements Vendor {
  private static final Requirements REQUIREMENTS =
      new Requirements(
          AcceleratorType.ASCEND,
          Set.of("amd64", "arm64"),
          List.of("/usr"),
          new Driver(
              List.of(),
              // In which npu-smi finds them, by the environment that the driver's setenv.bash
              // makes.
              List.of(
                  "/usr/local/Ascend/driver/lib64",
                  "/usr/local/Ascend/driver/lib64/common",
                  "/usr/local/Ascend/driver/lib64/driver"),
              Map.of()),
          "ascend",
          List.of(
              new DeviceResource("huawei.com/Ascend310P", "Ascend310P"),
              new DeviceResource("huawei.com/Ascend310", "Ascend310")),
          Set.of(AllocationMode.DEVICES));

  @Override
  public Requirements requirements() {
    return REQUIREMENTS;
  }

  @Override
  public VendorMetrics metrics() {
    return NpuExporterMetrics.METRICS;
  }

  @Override
  public OnNode on(NodeRoots roots) {
    var access = new AscendContainerAccess(roots);
    return new OnNode() {
      @Override
      public DeviceSource devices() {
        return new AscendDevices(roots);
      }

      @Override
      public Function<List<Device>, ContainerAccess> access(List<Device> devices) {
        return access.look(devices);
      }

      /** Ascend's runtime is not needed: the device plugin passes all that it would. */
      @Override
      public RuntimeFinding runtime(
          Collection<String> devices, BooleanSupplier runtimeClassExists) {
        return access.sharedNodes().isEmpty()
            ? new RuntimeFinding(
                false,
                "NoDeviceNodes",
                "The node has none of the driver's device nodes, such as /dev/davinci_manager: install the Ascend driver, and see that npu-smi info works on the node")
            : new RuntimeFinding(
                true,
                "DeviceNodes",
                "Containers get the device nodes of their chips and the driver's files of the node");
      }
    };
  }
}
