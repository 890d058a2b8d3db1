package io.baetyl.gpu.accelerator.jetson;

import io.baetyl.gpu.accelerator.Requirements;
import io.baetyl.gpu.accelerator.Requirements.DeviceResource;
import io.baetyl.gpu.accelerator.Requirements.Driver;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What Jetson modules require of a node. */
final class JetsonRequirements {
  static final Requirements REQUIREMENTS =
      new Requirements(
          AcceleratorType.JETSON,
          Set.of("arm64"),
          List.of("/etc/cdi", "/run/cdi", "/usr"),
          new Driver(List.of(), List.of(), Map.of()),
          "nvidia",
          List.of(new DeviceResource("nvidia.com/gpu", "")),
          Set.of(AllocationMode.DEVICES));

  private JetsonRequirements() {}
}
