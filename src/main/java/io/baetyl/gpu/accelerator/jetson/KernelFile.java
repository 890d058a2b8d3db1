package io.baetyl.gpu.accelerator.jetson;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Reads what the kernel tells in files; what cannot be read is empty. */
final class KernelFile {
  private KernelFile() {}

  static Optional<String> text(Path file) {
    try {
      return Optional.of(Files.readString(file).strip());
    } catch (IOException | UncheckedIOException notTold) {
      return Optional.empty();
    }
  }

  static OptionalLong number(Path file) {
    return text(file)
        .filter(text -> text.matches("-?\\d{1,18}"))
        .map(text -> OptionalLong.of(Long.parseLong(text)))
        .orElseGet(OptionalLong::empty);
  }

  /** The entries of a folder that match a glob, in order. */
  static List<Path> entries(Path folder, String glob) {
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
