package io.baetyl.gpu.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The processes of a pod, by its cgroup as the machine under the nodes sees it. */
final class PodProcesses {
  /** Of cgroup v1, and v2. */
  private static final List<String> HIERARCHIES = List.of("cpu", "");

  private PodProcesses() {}

  /** Whether a container of the pod lives; the one that holds its network does not count. */
  static boolean alive(String node, String podUid) {
    var cgroup = cgroup(node, podUid);
    try {
      return cgroup.isPresent() && !ids(cgroup.get()).isEmpty();
    } catch (UncheckedIOException removedMeanwhile) {
      return Files.exists(cgroup.get());
    }
  }

  /** Stops the containers of a pod where they are: signals that come meanwhile wait for them. */
  static void pause(String node, String podUid) {
    signal(node, podUid, "STOP");
  }

  static void resume(String node, String podUid) {
    signal(node, podUid, "CONT");
  }

  /** Tells the containers of a pod to stop, as for a rollout, past its kubelet. */
  static void terminate(String node, String podUid) {
    signal(node, podUid, "TERM");
  }

  /** Ends the containers of a pod as a crash does: they get to do nothing more. */
  static void kill(String node, String podUid) {
    signal(node, podUid, "KILL");
  }

  private static void signal(String node, String podUid, String signal) {
    var ids = ids(cgroup(node, podUid).orElseThrow());
    Command.run(
        Duration.ofSeconds(5),
        Stream.concat(Stream.of("kill", "-" + signal), ids.stream()).toList());
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

  private static List<String> ids(Path cgroup) {
    try (var below = Files.walk(cgroup)) {
      return below
          .filter(path -> path.endsWith("cgroup.procs"))
          .flatMap(path -> lines(path).stream())
          .filter(pid -> !lines(Path.of("/proc", pid, "comm")).contains("pause"))
          .toList();
    } catch (IOException removedMeanwhile) {
      throw new UncheckedIOException(removedMeanwhile);
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
