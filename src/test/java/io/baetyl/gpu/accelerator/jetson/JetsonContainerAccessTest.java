package io.baetyl.gpu.accelerator.jetson;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.accelerator.ContainerAccess;
import io.baetyl.gpu.accelerator.ContainerAccess.Mount;
import io.baetyl.gpu.accelerator.RuntimeFinding;
import io.baetyl.gpu.accelerator.cdi.CdiSpecs;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JetsonContainerAccessTest {
  @TempDir private Path root;

  private ContainerAccess look() {
    return new JetsonContainerAccess(Board.none(root).roots(), CdiSpecs.of(root, "nvidia.com/gpu"))
        .look();
  }

  private RuntimeFinding runtime(boolean runtimeClass) {
    return new JetsonVendor()
        .on(Board.none(root).roots())
        .runtime(List.of("jetson-1"), () -> runtimeClass);
  }

  @Test
  void theDeviceNodesThatAreThereAreNamed() {
    Board.none(root)
        .file("dev/nvhost-gpu", "")
        .file("dev/nvhost-ctrl", "")
        .file("dev/nvmap", "")
        .file("dev/nvgpu/igpu0/ctrl", "")
        .file("dev/dri/renderD128", "")
        .file("dev/dri/by-path/pci", "")
        .file("dev/sda", "");

    assertThat(look().deviceNodes())
        .containsExactly(
            "/dev/dri/renderD128",
            "/dev/nvgpu/igpu0/ctrl",
            "/dev/nvhost-ctrl",
            "/dev/nvhost-gpu",
            "/dev/nvmap");
    assertThat(look().environment()).containsEntry("NVIDIA_VISIBLE_DEVICES", "all");
  }

  @Test
  void theDriversLibrariesAreMounted() {
    Board.none(root).file("usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1", "");

    assertThat(look().mounts())
        .containsExactly(
            new Mount("/usr/lib/aarch64-linux-gnu/nvidia", "/usr/lib/aarch64-linux-gnu/nvidia"));
  }

  @Test
  void aCdiSpecIsUsedAlone() {
    Board.none(root)
        .file("dev/nvmap", "")
        .file(
            "etc/cdi/nvidia.yaml",
            "cdiVersion: 0.5.0\nkind: nvidia.com/gpu\ndevices: [{name: \"0\"}, {name: all}]\n");

    assertThat(look().cdiDevices()).containsExactly("nvidia.com/gpu=0");
    assertThat(look().deviceNodes()).isEmpty();
    assertThat(look().environment()).containsEntry("NVIDIA_VISIBLE_DEVICES", "void");
    assertThat(runtime(false).reason()).isEqualTo("CdiSpecs");
  }

  @Test
  void whatWouldStopAContainerIsSaid() {
    assertThat(runtime(false).reason()).isEqualTo("NoDeviceNodes");

    Board.none(root).file("dev/nvmap", "");
    assertThat(runtime(false).reason()).isEqualTo("RuntimeNotConfigured");
    assertThat(runtime(true).reason()).isEqualTo("RuntimeClass");

    // The test's container and host are one folder, so what is on the host is injected too.
    Board.none(root).file("usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1", "");
    assertThat(runtime(false).reason()).isEqualTo("DefaultRuntime");
    assertThat(runtime(false).ready()).isTrue();
  }
}
