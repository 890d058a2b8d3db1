package io.baetyl.gpu;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Prometheus' own linter of metrics, that of {@code promtool check metrics}: dev/promlint. */
public final class Promlint {
  private Promlint() {}

  /** What it finds fault with in a page, such as {@code family metric names should not …}. */
  public static List<String> findings(byte[] page) throws IOException, InterruptedException {
    var linter =
        new ProcessBuilder("go", "run", ".")
            .directory(Path.of("dev/promlint").toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (var input = linter.getOutputStream()) {
      input.write(page);
    }
    var findings = new String(linter.getInputStream().readAllBytes(), UTF_8);
    assertThat(linter.waitFor()).as("exit code of dev/promlint").isZero();
    return findings.lines().toList();
  }
}
