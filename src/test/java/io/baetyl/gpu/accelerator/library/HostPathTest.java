package io.baetyl.gpu.accelerator.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostPathTest {
  @TempDir private Path root;

  private void link(String path, String target) throws IOException {
    Files.createDirectories(root.resolve(path).getParent());
    Files.createSymbolicLink(root.resolve(path), Path.of(target));
  }

  private void assertLeads(String path, String to) {
    assertThat(HostPath.follow(root, path)).isEqualTo(root.resolve(to));
  }

  @Test
  void aPathWithoutLinksStaysBelowTheRoot() {
    assertLeads("/opt/sophon/lib/libbmlib.so", "opt/sophon/lib/libbmlib.so");
  }

  @Test
  void anAbsoluteLinkLeadsIntoTheSameRoot() throws IOException {
    link("opt/sophon/libsophon-current", "/opt/sophon/libsophon-0.4.9");
    assertLeads(
        "/opt/sophon/libsophon-current/lib/libbmlib.so",
        "opt/sophon/libsophon-0.4.9/lib/libbmlib.so");
  }

  @Test
  void relativeLinksAndLinksToLinksAreFollowed() throws IOException {
    link("opt/sophon/libsophon-current", "libsophon-0.4.9");
    link("opt/sophon/libsophon-0.4.9/lib/libbmlib.so", "../../shared/libbmlib.so.0");
    link("opt/sophon/shared", "/data/sophon");
    assertLeads("/opt/sophon/libsophon-current/lib/libbmlib.so", "data/sophon/libbmlib.so.0");
  }

  @Test
  void noLinkLeadsOutOfTheRoot() throws IOException {
    link("opt/out", "../../../../etc");
    assertLeads("/opt/out/passwd", "etc/passwd");
  }

  @Test
  void aCircleEnds() throws IOException {
    link("opt/a", "/opt/b");
    link("opt/b", "/opt/a");
    assertThat(HostPath.follow(root, "/opt/a/lib")).startsWithRaw(root);
  }
}
