package io.baetyl.gpu.accelerator.nvidia;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where NVML may be. First in this container, where a runtime that injects the driver puts it; then
 * on the host, installed there or by a driver container, so that the agent finds cards also where
 * the runtime is not set up, and can say so.
 */
final class NvmlPaths {
  private static final String NAME = "libnvidia-ml.so.1";

  private static final List<String> FOLDERS =
      List.of(
          "usr/lib/x86_64-linux-gnu",
          "usr/lib64",
          "usr/lib/aarch64-linux-gnu",
          "usr/lib/wsl/lib",
          "usr/lib");

  private static final String DRIVER_CONTAINER = "run/nvidia/driver";

  private NvmlPaths() {}

  /**
   * The paths of the library, the best first; most of them do not exist.
   *
   * @param containerRoot of this container: /
   * @param hostRoot under which the host's /usr and /run are
   */
  public static List<Path> of(Path containerRoot, Path hostRoot) {
    return Stream.concat(inContainer(containerRoot), onHost(hostRoot)).toList();
  }

  /** Whether a container runtime has put the driver into this container. */
  public static boolean isInjected(Path containerRoot) {
    return inContainer(containerRoot).anyMatch(Files::exists);
  }

  private static Stream<Path> inContainer(Path root) {
    return FOLDERS.stream().map(folder -> root.resolve(folder).resolve(NAME));
  }

  private static Stream<Path> onHost(Path root) {
    return Stream.of(root, root.resolve(DRIVER_CONTAINER)).flatMap(NvmlPaths::inContainer);
  }
}
