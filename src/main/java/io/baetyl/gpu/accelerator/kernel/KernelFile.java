package io.baetyl.gpu.accelerator.kernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Reads what the kernel tells in files; what cannot be read is empty. */
public final class KernelFile {
  private KernelFile() {}

  /** Its text without blanks around it. */
  public static Optional<String> text(Path file) {
    try {
      return Optional.of(Files.readString(file).strip());
    } catch (IOException | UncheckedIOException notTold) {
      return Optional.empty();
    }
  }

  /** A file that holds a number and nothing else. */
  public static OptionalLong number(Path file) {
    return text(file)
        .filter(text -> text.matches("-?\\d{1,18}"))
        .map(text -> OptionalLong.of(Long.parseLong(text)))
        .orElseGet(OptionalLong::empty);
  }

  /** The entries of a folder that match a glob, in order. */
  public static List<Path> entries(Path folder, String glob) {
    try (var entries = Files.newDirectoryStream(folder, glob)) {
      var found = new ArrayList<Path>();
      entries.forEach(found::add);
      found.sort(null);
      return found;
    } catch (IOException absent) {
      return List.of();
    }
  }
}
