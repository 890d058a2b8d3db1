package io.baetyl.gpu.accelerator.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * A node's simulated NVIDIA driver in a folder: the library of dev/simulator, compiled so that it
 * reads that folder instead of /dev, and the files that it reads.
 */
final class SimulatedNvml {
  private static final Path SOURCES = Path.of("dev/simulator/nvidia/nvml");

  private final Path root;

  /** A driver in an empty folder, with its control node and no card. */
  SimulatedNvml(Path root) throws IOException {
    this.root = root;
    Files.createDirectories(dev("nvidia-simulator/cards"));
    Files.createDirectories(dev("nvidia-simulator/driver"));
    Files.createFile(dev("nvidiactl"));
    install();
  }

  private Path dev(String name) {
    return root.resolve("dev").resolve(name);
  }

  Path library() {
    return root.resolve("lib/libnvidia-ml.so.1");
  }

  /**
   * Puts a new file into the library's place.
   *
   * @param defines further arguments of the compiler
   */
  void install(String... defines) throws IOException {
    install(source -> source, defines);
  }

  /** The same, with a library that gives a handle of a card whatever the card's state is. */
  void installWithHandlesOfLostCards() throws IOException {
    var look = "result = device_read(handle, &card);";
    assertThat(SOURCES.resolve("enumerate.c")).content().contains(look);
    install(source -> source.replace(look, "(void)card;"));
  }

  private void install(UnaryOperator<String> edit, String... defines) throws IOException {
    var sources = Files.createDirectories(root.resolve("src"));
    var command =
        new ArrayList<>(
            List.of("gcc", "-O1", "-std=gnu11", "-shared", "-fPIC", "-fvisibility=hidden"));
    command.addAll(List.of(defines));
    try (var files = Files.list(SOURCES)) {
      for (var file : files.sorted().toList()) {
        var copy = sources.resolve(file.getFileName());
        Files.writeString(
            copy, edit.apply(Files.readString(file)).replace("\"/dev", "\"" + root.resolve("dev")));
        if (copy.toString().endsWith(".c")) {
          command.add(copy.toString());
        }
      }
    }
    var made = root.resolve("made.so");
    command.addAll(List.of("-o", made.toString()));
    run(command);
    Files.createDirectories(library().getParent());
    Files.move(made, library(), StandardCopyOption.REPLACE_EXISTING);
  }

  void uninstall() throws IOException {
    Files.delete(library());
  }

  private static void run(List<String> command) throws IOException {
    try {
      var process = new ProcessBuilder(command).redirectErrorStream(true).start();
      var output = new String(process.getInputStream().readAllBytes());
      assertThat(process.waitFor()).as(output).isZero();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (IOException noCompiler) {
      throw new UncheckedIOException(
          "gcc is missing, and compiles the simulated driver; on Debian: apt-get install gcc libc6-dev",
          noCompiler);
    }
  }

  /** Adds a card; a fact that is left out is one that the card does not support. */
  void card(String uuid, int minor, String... facts) throws IOException {
    var lines = new ArrayList<>(List.of("uuid " + uuid, "minor " + minor));
    lines.addAll(List.of(facts));
    Files.createDirectories(dev("nvidia-simulator/cards/" + uuid));
    Files.write(dev("nvidia-simulator/cards/" + uuid + "/facts"), lines);
    Files.createFile(dev("nvidia" + minor));
  }

  void tesla(String uuid, int minor) throws IOException {
    card(
        uuid,
        minor,
        "name Tesla P4",
        "pci 00000000:0%d:00.0".formatted(minor + 3),
        "memory_mib 7611",
        "reserved_mib 100",
        "power_idle_mw 6500",
        "power_limit_mw 75000");
  }

  /** Sets the state of a card: ok, failed, vanished or hung. */
  void state(String uuid, String state) throws IOException {
    Files.writeString(dev("nvidia-simulator/cards/" + uuid + "/state"), state + "\n");
  }

  /** Makes these the errors that a card has ever reported, oldest first. */
  void xids(String uuid, int... xids) throws IOException {
    var lines = IntStream.range(0, xids.length).mapToObj(i -> (i + 1) + " " + xids[i]).toList();
    Files.write(dev("nvidia-simulator/cards/" + uuid + "/xids"), lines);
  }

  /** Sets the state of the driver: ok, absent, mismatch or hang. */
  void driver(String state) throws IOException {
    Files.writeString(dev("nvidia-simulator/driver/state"), state + "\n");
  }

  /** Lets this very process use memory of a card. */
  void use(String uuid, long mebiBytes) throws IOException {
    var namespace = Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
    var stat = Files.readString(Path.of("/proc/self/stat"));
    var start = stat.substring(stat.lastIndexOf(')') + 2).split(" ")[19];
    Files.writeString(
        dev("nvidia-simulator/cards/" + uuid + "/processes"),
        "%s %d %s %d%n"
            .formatted(
                namespace.replaceAll("\\D", ""), ProcessHandle.current().pid(), start, mebiBytes));
  }
}
