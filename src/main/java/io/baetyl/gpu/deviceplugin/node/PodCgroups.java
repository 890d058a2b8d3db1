package io.baetyl.gpu.deviceplugin.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a pod has processes left, by its cgroup: the only witness of a container that the API
 * server and the kubelet have both forgotten. Finds the cgroups of v1 and v2, named by the
 * kubelet's cgroupfs driver ({@code kubepods/burstable/pod<uid>}) or by systemd ({@code
 * kubepods-burstable-pod<uid with _>.slice}), below any cgroupRoot of the kubelet.
 */
public final class PodCgroups {
  private static final Logger LOG = LoggerFactory.getLogger(PodCgroups.class);

  /** How far below the root the kubelet's own tree may be. */
  private static final int DEPTH = 4;

  /**
   * Any of these does under v1, where the kubelet makes a pod's cgroup in each hierarchy; the first
   * also counts the processes.
   */
  private static final List<String> V1_HIERARCHIES = List.of("pids", "memory", "systemd", "cpu");

  private final Path root;
  private List<Path> trees = List.of();
  private boolean warned;

  /**
   * @param root where the host's cgroup file systems are, such as {@code /sys/fs/cgroup}
   */
  public PodCgroups(Path root) {
    this.root = root;
  }

  /**
   * Whether a process of the pod lives.
   *
   * @param kubeletUid the pod's UID at the kubelet
   */
  public synchronized boolean alive(String kubeletUid) {
    try {
      if (trees.isEmpty() || !trees.stream().allMatch(Files::isDirectory)) {
        trees = findTrees();
      }
      if (trees.isEmpty()) {
        return unseen("no tree of pods");
      }
      boolean alive =
          trees.stream()
              .flatMap(tree -> podCgroup(tree, kubeletUid).stream())
              .anyMatch(PodCgroups::populated);
      warned = false;
      return alive;
    } catch (UncheckedIOException unreadable) {
      return unseen(unreadable.getMessage());
    }
  }

  /** Who cannot be seen to have ended may be running. */
  private boolean unseen(String reason) {
    if (!warned) {
      warned = true;
      LOG.warn(
          "The cgroups of pods cannot be seen, so the units of pods that end are not handed out"
              + " again until they can. path={} reason={}",
          root,
          reason);
    }
    return true;
  }

  private List<Path> findTrees() {
    if (Files.exists(root.resolve("cgroup.controllers"))) {
      return treesBelow(root);
    }
    return V1_HIERARCHIES.stream()
        .map(root::resolve)
        .map(PodCgroups::treesBelow)
        .filter(found -> !found.isEmpty())
        .findFirst()
        .orElse(List.of());
  }

  private static List<Path> treesBelow(Path hierarchy) {
    var found = new ArrayList<Path>();
    var level = List.of(hierarchy);
    for (int depth = 0; depth < DEPTH && !level.isEmpty(); depth++) {
      var next = new ArrayList<Path>();
      for (var folder : level) {
        for (var child : children(folder)) {
          var name = child.getFileName().toString();
          (name.equals("kubepods") || name.endsWith("kubepods.slice") ? found : next).add(child);
        }
      }
      level = next;
    }
    return found;
  }

  private static Optional<Path> podCgroup(Path tree, String uid) {
    return Stream.concat(
            children(tree).stream(),
            children(tree).stream()
                .filter(child -> isQosClass(child.getFileName().toString()))
                .flatMap(child -> children(child).stream()))
        .filter(child -> isOf(child.getFileName().toString(), uid))
        .findFirst();
  }

  private static boolean isQosClass(String name) {
    return name.equals("burstable")
        || name.equals("besteffort")
        || name.endsWith("-burstable.slice")
        || name.endsWith("-besteffort.slice");
  }

  private static boolean isOf(String name, String uid) {
    return name.equals("pod" + uid) || name.endsWith("-pod" + uid.replace('-', '_') + ".slice");
  }

  /**
   * A cgroup outlives its processes by up to the two seconds of the kubelet's housekeeping, so
   * their count is asked for. Not their ids: under v1 a cgroup lists none to a reader in another
   * PID namespace, such as this container's.
   */
  private static boolean populated(Path cgroup) {
    try {
      var events = cgroup.resolve("cgroup.events");
      if (Files.exists(events)) {
        return Files.readString(events).contains("populated 1");
      }
      var current = cgroup.resolve("pids.current");
      if (Files.exists(current)) {
        return !Files.readString(current).strip().equals("0");
      }
    } catch (IOException removedMeanwhile) {
      LOG.debug("A cgroup is gone. path={}", cgroup);
    }
    return Files.exists(cgroup);
  }

  private static List<Path> children(Path folder) {
    try (var entries = Files.list(folder)) {
      return entries.filter(Files::isDirectory).toList();
    } catch (NoSuchFileException | NotDirectoryException gone) {
      return List.of();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
