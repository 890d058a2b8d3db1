package io.baetyl.gpu.accelerator.ascend;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.accelerator.ContainerAccess.Mount;
import io.baetyl.gpu.accelerator.NodeRoots;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.Health;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AscendContainerAccessTest {
  @TempDir private Path root;

  private static Device chip(int number) {
    return new Device(
        "die-" + number,
        number,
        "/dev/davinci" + number,
        "Ascend310",
        8192L,
        null,
        null,
        Health.HEALTHY,
        null);
  }

  private void file(String path) throws IOException {
    Files.createDirectories(root.resolve(path).getParent());
    Files.createFile(root.resolve(path));
  }

  private NodeRoots roots() {
    return new NodeRoots(root, root, root);
  }

  @BeforeEach
  void twoChipsAndADriver() throws IOException {
    file("dev/davinci1");
    file("dev/davinci3");
    file("dev/davinci_manager");
    file("dev/hisi_hdc");
    file("usr/local/dcmi/libdcmi.so");
  }

  @Test
  void aContainerGetsItsChipsUnderTheirOwnNumbers() {
    var all = List.of(chip(1), chip(2), chip(3));

    var access = new AscendContainerAccess(roots()).look(all).apply(List.of(chip(3), chip(1)));

    assertThat(access.environment()).containsEntry("ASCEND_VISIBLE_DEVICES", "3,1");
    assertThat(access.deviceNodes())
        .containsExactly("/dev/davinci1", "/dev/davinci3", "/dev/davinci_manager", "/dev/hisi_hdc");
    assertThat(access.mounts()).containsExactly(new Mount("/usr/local/dcmi", "/usr/local/dcmi"));
  }

  @Test
  void aFileBehindAnAbsoluteLinkOfTheHostIsThere() throws IOException {
    file("usr/local/sbin/npu-smi");
    Files.createDirectories(root.resolve("usr/local/bin"));
    Files.createSymbolicLink(
        root.resolve("usr/local/bin/npu-smi"), Path.of("/usr/local/sbin/npu-smi"));

    assertThat(new AscendContainerAccess(roots()).look(List.of()).apply(List.of()).mounts())
        .contains(new Mount("/usr/local/bin/npu-smi", "/usr/local/bin/npu-smi"));
  }

  @Test
  void aNodeThatIsNotThereIsNotNamed() {
    var all = List.of(chip(2));

    assertThat(new AscendContainerAccess(roots()).look(all).apply(all).deviceNodes())
        .containsExactly("/dev/davinci_manager", "/dev/hisi_hdc");
  }

  @Test
  void withoutADriverNothingCanBeGiven() throws IOException {
    var vendor = new AscendVendor().on(roots());
    assertThat(vendor.runtime(List.of(), () -> false).ready()).isTrue();

    Files.delete(root.resolve("dev/davinci_manager"));
    Files.delete(root.resolve("dev/hisi_hdc"));

    assertThat(vendor.runtime(List.of(), () -> false).reason()).isEqualTo("NoDeviceNodes");
  }

  @Test
  void eachKindOfChipHasAResourceOfItsOwn() {
    var requirements = new AscendVendor().requirements();
    var pro = new Device("die", 0, "/dev/davinci0", "Ascend310P3", 21525L, null, null, null, null);

    assertThat(requirements.resourceName(List.of(chip(1)))).isEqualTo("huawei.com/Ascend310");
    assertThat(requirements.resourceName(List.of(pro))).isEqualTo("huawei.com/Ascend310P");
  }
}
