package io.baetyl.gpu.accelerator.jetson;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the firmware says of the board, below {@code /proc/device-tree}: texts that end with a NUL,
 * and lists of them.
 */
record DeviceTree(Path hardware) {
  private static final String TEGRA = "nvidia,tegra";

  /** Whether the board has one of NVIDIA's Tegra chips. */
  boolean isTegra() {
    return texts("compatible").stream().anyMatch(name -> name.startsWith(TEGRA));
  }

  /** Such as {@code NVIDIA Jetson AGX Orin Developer Kit}. */
  Optional<String> model() {
    return texts("model").stream().findFirst();
  }

  /** The board's; nothing else of a Jetson lasts over JetPack releases. */
  Optional<String> serialNumber() {
    return texts("serial-number").stream().findFirst();
  }

  private List<String> texts(String property) {
    try {
      var bytes = Files.readAllBytes(hardware.resolve("proc/device-tree").resolve(property));
      return Stream.of(new String(bytes, StandardCharsets.UTF_8).split("\0"))
          .map(String::strip)
          .filter(text -> !text.isEmpty())
          .toList();
    } catch (IOException absent) {
      return List.of();
    }
  }
}
