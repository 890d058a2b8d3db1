package io.baetyl.gpu.accelerator.nvidia;

import io.baetyl.gpu.accelerator.Requirements;
import io.baetyl.gpu.accelerator.Requirements.DeviceResource;
import io.baetyl.gpu.accelerator.Requirements.Driver;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What NVIDIA cards require of a node. */
final class NvidiaRequirements {
  static final Requirements REQUIREMENTS =
      new Requirements(
          AcceleratorType.NVIDIA,
          Set.of("amd64"),
          List.of("/etc/cdi", "/run/cdi"),
          // A driver container shows its files below /run.
          new Driver(
              List.of("/usr", "/run"),
              List.of(),
              Map.of("NVIDIA_VISIBLE_DEVICES", "all", "NVIDIA_DRIVER_CAPABILITIES", "utility")),
          "nvidia",
          List.of(new DeviceResource("nvidia.com/gpu", "")),
          Set.of(AllocationMode.DEVICES, AllocationMode.SHARED));

  private NvidiaRequirements() {}
}
