package io.baetyl.gpu.accelerator.ascend;

import io.baetyl.gpu.accelerator.ContainerAccess;
import io.baetyl.gpu.accelerator.ContainerAccess.Mount;
import io.baetyl.gpu.accelerator.NodeRoots;
import io.baetyl.gpu.accelerator.library.HostPath;
import io.baetyl.gpu.api.v1alpha1.Device;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a container needs to use Ascend chips: the device nodes of its chips under their own
 * numbers, those of the driver, and the driver's files; with the variable that Ascend's runtime
 * obeys, where that is installed.
 */
final class AscendContainerAccess {
  private static final String VISIBLE_DEVICES = "ASCEND_VISIBLE_DEVICES";

  /** Every chip's; not each driver has all of them. */
  private static final List<String> SHARED_NODES =
      List.of("/dev/davinci_manager", "/dev/devmm_svm", "/dev/hisi_hdc", "/dev/dvpp_cmdlist");

  /** As Ascend's runtime mounts them by default. */
  private static final List<String> DRIVER =
      List.of(
          "/usr/local/Ascend/driver/lib64",
          "/usr/local/Ascend/driver/include",
          "/usr/local/dcmi",
          "/usr/local/bin/npu-smi");

  private final NodeRoots roots;

  AscendContainerAccess(NodeRoots roots) {
    this.roots = roots;
  }

  /**
   * Looks at the files of this node.
   *
   * @param chips all of them
   * @return what a container needs to use some of the chips
   */
  Function<List<Device>, ContainerAccess> look(List<Device> chips) {
    var shared = sharedNodes();
    var there =
        chips.stream()
            .map(Device::path)
            .filter(Objects::nonNull)
            .filter(this::exists)
            .collect(Collectors.toSet());
    var mounts =
        DRIVER.stream()
            .filter(path -> Files.exists(HostPath.follow(roots.host(), path)))
            .map(path -> new Mount(path, path))
            .toList();
    return some -> access(some, shared, there, mounts);
  }

  /** The driver's own nodes that are there. */
  List<String> sharedNodes() {
    return SHARED_NODES.stream().filter(this::exists).toList();
  }

  private boolean exists(String node) {
    return Files.exists(roots.container().resolve(node.substring(1)));
  }

  private static ContainerAccess access(
      List<Device> chips, List<String> shared, Set<String> there, List<Mount> mounts) {
    return new ContainerAccess(
        Map.of(
            VISIBLE_DEVICES,
            chips.stream()
                .map(chip -> String.valueOf(chip.index()))
                .collect(Collectors.joining(","))),
        Stream.concat(
                chips.stream().map(Device::path).filter(there::contains).sorted(), shared.stream())
            .toList(),
        mounts,
        List.of());
  }
}
