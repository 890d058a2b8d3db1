package io.baetyl.gpu.metrics.containers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/** The pod of a process, by the name of its cgroup; needs the process ids of the host. */
public final class ProcessOwners {
  /**
   * The UID of a pod in the name of its cgroup: {@code pod<uid>} with cgroupfs, {@code
   * kubepods-besteffort-pod<uid>.slice} with systemd, which has underscores for dashes. Of a static
   * pod the UID is the hash of its file, 32 digits without dashes.
   */
  private static final Pattern POD =
      Pattern.compile(
          "pod(\\p{XDigit}{32}|\\p{XDigit}{8}([-_]\\p{XDigit}{4}){3}[-_]\\p{XDigit}{12})(?:\\.slice)?/");

  private final Path proc;

  /**
   * @param proc where the processes are: /proc
   */
  public ProcessOwners(Path proc) {
    this.proc = proc;
  }

  /**
   * The UID on the node of the pod that a process runs in; empty where it is in none, or has ended.
   */
  public Optional<String> podUid(int pid) {
    try {
      return podUid(Files.readString(proc.resolve(pid + "/cgroup")));
    } catch (IOException gone) {
      return Optional.empty();
    }
  }

  static Optional<String> podUid(String cgroups) {
    var pod = POD.matcher(cgroups);
    return pod.find() ? Optional.of(pod.group(1).replace('_', '-')) : Optional.empty();
  }
}
