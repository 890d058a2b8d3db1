package io.baetyl.gpu.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs programs of this repository from its root. */
public final class Command {
  static final Path ROOT = Path.of("").toAbsolutePath();

  private Command() {}

  /**
   * What a command prints to standard output.
   *
   * @throws AssertionError with all that it printed, where it fails or takes longer than the limit
   */
  public static String run(Duration limit, List<String> command) {
    try {
      var errors = java.nio.file.Files.createTempFile("command", ".err").toFile();
      var process =
          new ProcessBuilder(command).directory(ROOT.toFile()).redirectError(errors).start();
      process.getOutputStream().close();
      var watchdog =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                        process.destroyForcibly();
                      }
                    } catch (InterruptedException finished) {
                      Thread.currentThread().interrupt();
                    }
                  });
      var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int exit = process.waitFor();
      watchdog.interrupt();
      var complaint = java.nio.file.Files.readString(errors.toPath());
      java.nio.file.Files.delete(errors.toPath());
      if (exit != 0) {
        throw new AssertionError(
            "%s: exit code %d%n%s%s".formatted(String.join(" ", command), exit, output, complaint));
      }
      return output;
    } catch (IOException failed) {
      throw new UncheckedIOException(String.join(" ", command), failed);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted: " + String.join(" ", command), interrupted);
    }
  }
}
