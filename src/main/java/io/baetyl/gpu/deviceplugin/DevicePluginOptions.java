package io.baetyl.gpu.deviceplugin;

import io.baetyl.gpu.accelerator.NodeRoots;
import io.baetyl.gpu.accelerator.Vendor;
import io.baetyl.gpu.accelerator.Vendors;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.platform.NodeNameConverter;
import io.baetyl.gpu.platform.PortConverter;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The options of the role. */
final class DevicePluginOptions {
  @Option(
      names = "--node-name",
      paramLabel = "NAME",
      required = true,
      defaultValue = "${env:NODE_NAME}",
      converter = NodeNameConverter.class,
      description = "Name of this node and of its GpuNode. Default: the variable NODE_NAME.")
  private String nodeName;

  @Option(
      names = "--accelerator",
      paramLabel = "TYPE",
      defaultValue = "${env:ACCELERATOR:-nvidia}",
      converter = AcceleratorConverter.class,
      description = "The type of accelerator, such as nvidia. Default: ${DEFAULT-VALUE}.")
  private AcceleratorType accelerator;

  @Option(
      names = "--allocation",
      paramLabel = "MODE",
      defaultValue = "${env:ALLOCATION:-Shared}",
      converter = AllocationConverter.class,
      description =
          "Devices: whole, by count. Shared: by memory, NVIDIA cards only. Default:"
              + " ${DEFAULT-VALUE}.")
  private AllocationMode allocation;

  @Option(
      names = "--kubelet-dir",
      paramLabel = "FOLDER",
      defaultValue = "${env:KUBELET_DIR:-/var/lib/kubelet}",
      description =
          "The kubelet's folder, with device-plugins and pod-resources in it. Default:"
              + " ${DEFAULT-VALUE}.")
  private Path kubeletDir;

  @Option(
      names = "--host-root",
      paramLabel = "FOLDER",
      defaultValue = "${env:HOST_ROOT:-/host}",
      description =
          "Where the host's files are, other than /dev and /proc. Default: ${DEFAULT-VALUE}.")
  private Path hostRoot;

  @Option(
      names = "--hardware-root",
      paramLabel = "FOLDER",
      defaultValue = "${env:HARDWARE_ROOT:-/}",
      description =
          "Where the kernel's /proc and /sys are; another than / simulates hardware. Default:"
              + " ${DEFAULT-VALUE}.")
  private Path hardwareRoot;

  @Option(
      names = "--health-port",
      paramLabel = "PORT",
      defaultValue = "${env:HEALTH_PORT:-30061}",
      converter = PortConverter.class,
      description =
          "TCP port of /healthz, /readyz and /metrics; 0 for any free one. Default:"
              + " ${DEFAULT-VALUE}.")
  private int healthPort;

  String nodeName() {
    return nodeName;
  }

  Vendor vendor() {
    return Vendors.of(accelerator).orElseThrow();
  }

  AllocationMode allocation() {
    return allocation;
  }

  Path devicePluginsFolder() {
    return kubeletDir.resolve("device-plugins");
  }

  Path podResourcesSocket() {
    return kubeletDir.resolve("pod-resources").resolve("kubelet.sock");
  }

  NodeRoots roots() {
    return new NodeRoots(Path.of("/"), hostRoot, hardwareRoot);
  }

  /** The host's cgroups; a container sees only its own under /sys, a process of the host all. */
  Path cgroupRoot() {
    var ofHost = hostRoot.resolve("sys/fs/cgroup");
    return Files.isDirectory(ofHost) ? ofHost : Path.of("/sys/fs/cgroup");
  }

  int healthPort() {
    return healthPort;
  }
}
