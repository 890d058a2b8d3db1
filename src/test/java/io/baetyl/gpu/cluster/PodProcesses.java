package io.baetyl.gpu.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The processes of a pod, by its cgroup as the machine under the nodes sees it. */
final class PodProcesses {
  /** Of cgroup v1, and v2. */
  private static final List<String> HIERARCHIES = List.of("cpu", "");

  private PodProcesses() {}

  /** Whether a container of the pod lives; the one that holds its network does not count. */
  static boolean alive(String node, String podUid) {
    return cgroup(node, podUid).map(PodProcesses::containerLives).orElse(false);
  }

  /** The pod's cgroup, with that of each container in it. */
  static Optional<Path> cgroup(String node, String podUid) {
    for (var hierarchy : HIERARCHIES) {
      var pods = Path.of("/sys/fs/cgroup", hierarchy, "baetyl-gpu", "node-" + node, "kubepods");
      for (var qosClass : List.of("", "burstable", "besteffort")) {
        var cgroup = pods.resolve(qosClass).resolve("pod" + podUid);
        if (Files.isDirectory(cgroup)) {
          return Optional.of(cgroup);
        }
      }
    }
    return Optional.empty();
  }

  private static boolean containerLives(Path cgroup) {
    try (var below = Files.walk(cgroup)) {
      return below
          .filter(path -> path.endsWith("cgroup.procs"))
          .flatMap(path -> lines(path).stream())
          .anyMatch(pid -> !lines(Path.of("/proc", pid, "comm")).contains("pause"));
    } catch (IOException | UncheckedIOException removedMeanwhile) {
      return Files.exists(cgroup);
    }
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException ended) {
      return List.of();
    }
  }
}
