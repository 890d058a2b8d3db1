package io.baetyl.gpu.accelerator.jetson;

import io.baetyl.gpu.accelerator.ContainerAccess;
import io.baetyl.gpu.accelerator.ContainerAccess.Mount;
import io.baetyl.gpu.accelerator.NodeRoots;
import io.baetyl.gpu.accelerator.cdi.CdiSpecs;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What a container needs to use a Jetson's GPU. A CDI device, where a spec on the node has one;
 * else the variable that NVIDIA's runtime obeys, with the device nodes and libraries that are
 * there, so that it works without that runtime as well.
 */
final class JetsonContainerAccess {
  private static final String VISIBLE_DEVICES = "NVIDIA_VISIBLE_DEVICES";

  /** As nvidia-ctk calls a Jetson's GPU. */
  static final String CDI_NAME = "0";

  /** Below /dev, of JetPack 4 to 7: NVIDIA's own lists for containers name them. */
  private static final List<String> NODES =
      List.of(
          "nvhost-*",
          "nvmap",
          "nvgpu/igpu0/*",
          "nvidia[0-9]*",
          "nvidiactl",
          "nvsciipc",
          "tegra_dc_*",
          "dri/card[0-9]*",
          "dri/renderD[0-9]*");

  /** The driver's libraries, of JetPack 4 and 5, and of 6 and later. */
  private static final List<String> LIBRARIES =
      List.of("/usr/lib/aarch64-linux-gnu/tegra", "/usr/lib/aarch64-linux-gnu/nvidia");

  private final NodeRoots roots;
  private final CdiSpecs specs;

  JetsonContainerAccess(NodeRoots roots, CdiSpecs specs) {
    this.roots = roots;
    this.specs = specs;
  }

  /** Looks at the files of this node. */
  ContainerAccess look() {
    var cdiName = specs.nameOf(CDI_NAME);
    if (cdiName.isPresent()) {
      // So that NVIDIA's runtime, where it is the default one, does not inject by itself as well.
      return new ContainerAccess(
          Map.of(VISIBLE_DEVICES, "void"), List.of(), List.of(), List.of(cdiName.get()));
    }
    return new ContainerAccess(Map.of(VISIBLE_DEVICES, "all"), nodes(), mounts(), List.of());
  }

  private List<String> nodes() {
    var dev = roots.container().resolve("dev");
    var matchers =
        NODES.stream()
            .map(glob -> FileSystems.getDefault().getPathMatcher("glob:" + dev + "/" + glob))
            .toList();
    var found = new ArrayList<String>();
    for (var folder : List.of(dev, dev.resolve("nvgpu/igpu0"), dev.resolve("dri"))) {
      try (var entries = Files.list(folder)) {
        entries
            .filter(entry -> matchers.stream().anyMatch(matcher -> matcher.matches(entry)))
            .filter(entry -> !Files.isDirectory(entry))
            .map(entry -> "/dev/" + dev.relativize(entry))
            .forEach(found::add);
      } catch (IOException notThisRelease) {
        continue;
      }
    }
    found.sort(null);
    return found;
  }

  private List<Mount> mounts() {
    return LIBRARIES.stream()
        .filter(folder -> Files.isDirectory(onHost(folder)))
        .map(folder -> new Mount(folder, folder))
        .toList();
  }

  private Path onHost(String path) {
    return roots.host().resolve(path.substring(1));
  }

  /** Whether containers have been given the driver's libraries by their runtime. */
  static boolean isInjected(NodeRoots roots) {
    return Stream.of("usr/lib/aarch64-linux-gnu/tegra", "usr/lib/aarch64-linux-gnu/nvidia")
        .anyMatch(folder -> Files.isDirectory(roots.container().resolve(folder)));
  }
}
