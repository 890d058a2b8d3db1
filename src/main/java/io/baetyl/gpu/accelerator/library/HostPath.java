package io.baetyl.gpu.accelerator.library;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Paths of the host, seen from a container that has the host's folders below another root: an
 * absolute link there leads into the container's own files, where nothing of it is.
 */
public final class HostPath {
  /** As many as Linux follows ({@code MAXSYMLINKS}). */
  private static final int MOST_LINKS = 40;

  private HostPath() {}

  /**
   * Follows the links of a path as the host would.
   *
   * @param root below which the host's folders are
   * @param path on the host, absolute
   * @return where it leads, below the root; there need be nothing
   */
  public static Path follow(Path root, String path) {
    Deque<Path> ahead = new ArrayDeque<>(names(Path.of(path)));
    var at = root;
    int links = 0;
    while (!ahead.isEmpty()) {
      var name = ahead.pop();
      if (name.toString().equals("..")) {
        at = at.equals(root) ? root : at.getParent();
        continue;
      }
      var next = at.resolve(name);
      if (!Files.isSymbolicLink(next) || ++links > MOST_LINKS) {
        at = next;
        continue;
      }
      var target = target(next);
      at = target.isAbsolute() ? root : at;
      names(target).reversed().forEach(ahead::push);
    }
    return at;
  }

  private static Path target(Path link) {
    try {
      return Files.readSymbolicLink(link);
    } catch (IOException gone) {
      // Replaced this very moment: the file that is there by now is as good.
      return link.getFileName();
    }
  }

  private static List<Path> names(Path path) {
    var names = new ArrayList<Path>();
    path.forEach(names::add);
    return names;
  }
}
