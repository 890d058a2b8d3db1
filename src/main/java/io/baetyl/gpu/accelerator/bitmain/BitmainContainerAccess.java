package io.baetyl.gpu.accelerator.bitmain;

import io.baetyl.gpu.accelerator.ContainerAccess;
import io.baetyl.gpu.accelerator.ContainerAccess.Mount;
import io.baetyl.gpu.accelerator.NodeRoots;
import io.baetyl.gpu.accelerator.library.HostPath;
import io.baetyl.gpu.api.v1alpha1.Device;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What a container needs to use Sophon chips: their device nodes under their own numbers, those of
 * the driver, and the host's libraries, which have to be of the driver's version.
 */
final class BitmainContainerAccess {
  private static final String CONTROL = "/dev/bmdev-ctl";

  /** Of a SoC box, whose names differ between SDKs; a card has none of them. */
  private static final List<String> BOX_NODES =
      List.of("/dev/ion", "/dev/jpu", "/dev/vpu", "/dev/bm-vpp");

  private static final String LIBRARIES = "/opt/sophon";

  private final NodeRoots roots;

  BitmainContainerAccess(NodeRoots roots) {
    this.roots = roots;
  }

  /** Looks at the files of this node; returns what a container needs to use some of the chips. */
  Function<List<Device>, ContainerAccess> look() {
    var shared =
        Stream.concat(Stream.of(CONTROL), BOX_NODES.stream()).filter(this::exists).toList();
    var mounts =
        Files.isDirectory(HostPath.follow(roots.host(), LIBRARIES))
            ? List.of(new Mount(LIBRARIES, LIBRARIES))
            : List.<Mount>of();
    return some ->
        new ContainerAccess(
            Map.of(),
            Stream.concat(some.stream().map(Device::path).sorted(), shared.stream()).toList(),
            mounts,
            List.of());
  }

  /** Whether the driver is loaded. */
  boolean hasControlNode() {
    return exists(CONTROL);
  }

  private boolean exists(String node) {
    return Files.exists(roots.container().resolve(node.substring(1)));
  }
}
