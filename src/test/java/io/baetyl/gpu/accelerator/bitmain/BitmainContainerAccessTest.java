package io.baetyl.gpu.accelerator.bitmain;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.accelerator.ContainerAccess.Mount;
import io.baetyl.gpu.accelerator.NodeRoots;
import io.baetyl.gpu.api.v1alpha1.Device;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BitmainContainerAccessTest {
  @TempDir private Path root;

  private static Device chip(String path) {
    return new Device("sn-0", 0, path, "BM1684", 7086L, null, null, null, null);
  }

  private void file(String path) throws IOException {
    Files.createDirectories(root.resolve(path).getParent());
    Files.createFile(root.resolve(path));
  }

  private BitmainContainerAccess access() {
    return new BitmainContainerAccess(new NodeRoots(root, root, root));
  }

  @Test
  void aCardsChipHasItsNodeAndTheDriversAndTheHostsLibraries() throws IOException {
    file("dev/bmdev-ctl");
    file("opt/sophon/libsophon-current/lib/libbmlib.so");

    var access = access().look().apply(List.of(chip("/dev/bm-sophon3")));

    assertThat(access.deviceNodes()).containsExactly("/dev/bm-sophon3", "/dev/bmdev-ctl");
    assertThat(access.mounts()).containsExactly(new Mount("/opt/sophon", "/opt/sophon"));
    assertThat(access().hasControlNode()).isTrue();
  }

  @Test
  void librariesBehindAnAbsoluteLinkOfTheHostAreThere() throws IOException {
    file("opt/vendor/sophon/libsophon-current/lib/libbmlib.so");
    Files.createSymbolicLink(root.resolve("opt/sophon"), Path.of("/opt/vendor/sophon"));

    assertThat(access().look().apply(List.of(chip("/dev/bm-sophon3"))).mounts())
        .containsExactly(new Mount("/opt/sophon", "/opt/sophon"));
  }

  @Test
  void aBoxHasMoreNodes() throws IOException {
    file("dev/bmdev-ctl");
    file("dev/bm-tpu0");
    file("dev/ion");
    file("dev/vpu");

    assertThat(access().look().apply(List.of(chip("/dev/bm-tpu0"))).deviceNodes())
        .containsExactly("/dev/bm-tpu0", "/dev/bmdev-ctl", "/dev/ion", "/dev/vpu");
    var nodes = new ChipNodes(new NodeRoots(root, root, root));
    assertThat(nodes.numbers()).containsExactly(0);
    assertThat(nodes.path(0)).isEqualTo("/dev/bm-tpu0");
  }

  @Test
  void eachModelHasAResourceOfItsOwn() {
    var requirements = new BitmainVendor().requirements();
    var x = new Device("sn-0", 0, "/dev/bm-sophon0", "BM1684X", 1L, null, null, null, null);

    assertThat(requirements.resourceName(List.of(chip("/dev/bm-sophon0"))))
        .isEqualTo("bitmain.com/bm1684");
    assertThat(requirements.resourceName(List.of(x))).isEqualTo("bitmain.com/bm1684x");
  }
}
