package io.baetyl.gpu.accelerator.nvidia;

import io.baetyl.gpu.accelerator.Requirements;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import java.util.List;

/** What NVIDIA cards require of a node. */
public final class NvidiaRequirements {
  public static final Requirements REQUIREMENTS =
      new Requirements(
          AcceleratorType.NVIDIA,
          "amd64",
          List.of("/dev", "/usr", "/run", "/etc"),
          "nvidia",
          "nvidia.com/gpu");

  private NvidiaRequirements() {}
}
