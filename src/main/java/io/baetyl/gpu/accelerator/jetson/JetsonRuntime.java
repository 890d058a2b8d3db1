package io.baetyl.gpu.accelerator.jetson;

import io.baetyl.gpu.accelerator.RuntimeFinding;

/** Whether containers on this node can be given the GPU. Pure. */
final class JetsonRuntime {
  private JetsonRuntime() {}

  /**
   * What was seen on the node.
   *
   * @param cdi whether a CDI spec has the GPU
   * @param injected whether this very container was given the driver's libraries
   * @param deviceNodes how many of the GPU's device nodes there are
   * @param libraries whether the driver's libraries are on the host
   * @param runtimeClass whether the cluster has the RuntimeClass {@code nvidia}
   */
  record Facts(
      boolean cdi, boolean injected, int deviceNodes, boolean libraries, boolean runtimeClass) {}

  static RuntimeFinding judge(Facts facts) {
    if (facts.cdi()) {
      return new RuntimeFinding(
          true, "CdiSpecs", "A CDI spec on the node has the GPU, and containers get it by that");
    }
    if (facts.deviceNodes() == 0) {
      return new RuntimeFinding(
          false,
          "NoDeviceNodes",
          "The node has none of the GPU's device nodes, such as /dev/nvhost-gpu or /dev/nvmap: see that JetPack's kernel modules are loaded");
    }
    if (facts.injected()) {
      return new RuntimeFinding(
          true, "DefaultRuntime", "The default container runtime gives containers NVIDIA's driver");
    }
    if (facts.libraries()) {
      return new RuntimeFinding(
          true,
          "DeviceNodes",
          "Containers get the GPU's device nodes and the driver's libraries of the node");
    }
    if (facts.runtimeClass()) {
      return new RuntimeFinding(
          true,
          "RuntimeClass",
          "NVIDIA's runtime is not the default one: pods that use the GPU need runtimeClassName: nvidia");
    }
    return new RuntimeFinding(
        false,
        "RuntimeNotConfigured",
        "The container runtime does not give containers NVIDIA's driver: install JetPack's package nvidia-container-toolkit on the node, and run nvidia-ctk runtime configure --runtime=containerd --set-as-default and systemctl restart containerd");
  }
}
