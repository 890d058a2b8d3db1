package io.baetyl.gpu.accelerator.ascend;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.accelerator.NodeRoots;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A node's simulated Ascend driver in a folder: the library of dev/simulator, compiled so that it
 * reads that folder instead of /dev, and the files that it reads.
 */
final class SimulatedDcmi {
  private static final Path SOURCE = Path.of("dev/simulator/ascend/dcmi/dcmi.c");

  private final Path root;

  /** A driver in an empty folder, without a chip. */
  SimulatedDcmi(Path root) throws IOException {
    this.root = root;
    file("dev/davinci_manager", "");
    var source = root.resolve("dcmi.c");
    Files.writeString(
        source, Files.readString(SOURCE).replace("\"/dev", "\"" + root.resolve("dev")));
    var library = root.resolve("usr/local/dcmi/libdcmi.so");
    Files.createDirectories(library.getParent());
    compile(source, library);
  }

  private static void compile(Path source, Path library) {
    try {
      var process =
          new ProcessBuilder(
                  List.of(
                      "gcc",
                      "-O1",
                      "-std=gnu11",
                      "-shared",
                      "-fPIC",
                      "-fvisibility=hidden",
                      "-o",
                      library.toString(),
                      source.toString()))
              .redirectErrorStream(true)
              .start();
      var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(output).isZero();
    } catch (IOException noCompiler) {
      throw new UncheckedIOException(
          "gcc is missing, and compiles the simulated driver; on Debian: apt-get install gcc libc6-dev",
          noCompiler);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  NodeRoots roots() {
    return new NodeRoots(root, root, root);
  }

  /** Adds a chip. */
  SimulatedDcmi chip(int number, int card, int unit, String name, int megaBytes)
      throws IOException {
    var die = "%08x-00000000-00000000-00000000-0000000a".formatted(number);
    file("dev/davinci" + number, "");
    return chipFile(
        number, "facts", "%d %d %s %d %s%n".formatted(card, unit, name, megaBytes, die));
  }

  /** Sets the state of a chip: ok, failed, starting, vanished or hung. */
  SimulatedDcmi state(int number, String state) throws IOException {
    return chipFile(number, "state", state + "\n");
  }

  SimulatedDcmi chipFile(int number, String name, String content) throws IOException {
    return file("dev/ascend-simulator/chips/%d/%s".formatted(number, name), content);
  }

  SimulatedDcmi file(String path, String content) throws IOException {
    var file = root.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
    return this;
  }

  /** Whether two threads were in the library at once. */
  boolean isCrowded() {
    return Files.exists(root.resolve("dev/ascend-simulator/crowded"));
  }

  SimulatedDcmi without(String path) throws IOException {
    Files.delete(root.resolve(path));
    return this;
  }

  static String die(int number) {
    return "%08x-00000000-00000000-00000000-0000000a".formatted(number);
  }
}
