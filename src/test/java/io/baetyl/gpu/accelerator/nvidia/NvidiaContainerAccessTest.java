package io.baetyl.gpu.accelerator.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.accelerator.ContainerAccess;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.Health;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NvidiaContainerAccessTest {
  private static final String UUID = "GPU-9f12f917-e458-4bb8-3d9d-8dc7fd6cddf7";
  private static final String YAML =
      """
      ---
      cdiVersion: 0.5.0
      kind: nvidia.com/gpu
      devices:
      - name: "0"
        containerEdits: {deviceNodes: [{path: /dev/nvidia0}]}
      - name: %s
        containerEdits: {deviceNodes: [{path: /dev/nvidia0}]}
      containerEdits:
        env: [NVIDIA_VISIBLE_DEVICES=void]
      """
          .formatted(UUID);

  @TempDir Path host;

  @BeforeEach
  void someDeviceNodes() throws IOException {
    Files.createDirectories(host.resolve("dev"));
    Files.createFile(host.resolve("dev/nvidia1"));
    Files.createFile(host.resolve("dev/nvidiactl"));
    Files.createFile(host.resolve("dev/nvidia-uvm"));
  }

  @Test
  void withoutCdiTheVariableAndTheNodesThatExist() {
    var access = access();
    assertThat(access.environment())
        .containsOnly(java.util.Map.entry("NVIDIA_VISIBLE_DEVICES", UUID));
    assertThat(access.deviceNodes())
        .containsExactly("/dev/nvidia1", "/dev/nvidiactl", "/dev/nvidia-uvm");
    assertThat(access.cdiDevices()).isEmpty();
  }

  @Test
  void withCdiNothingThatTheRuntimeWouldInjectToo() throws IOException {
    spec("run/cdi/nvidia.yaml", YAML);
    var access = access();
    assertThat(access.environment()).containsEntry("NVIDIA_VISIBLE_DEVICES", "void").hasSize(1);
    assertThat(access.deviceNodes()).isEmpty();
    assertThat(access.cdiDevices()).containsExactly("nvidia.com/gpu=" + UUID);
  }

  @Test
  void readsJson() throws IOException {
    spec(
        "etc/cdi/nvidia.json",
        "{\"cdiVersion\":\"0.5.0\",\"kind\":\"nvidia.com/gpu\",\"devices\":[{\"name\":\""
            + UUID
            + "\"}]}");
    assertThat(access().cdiDevices()).hasSize(1);
  }

  @Test
  void aSpecWithoutTheCardIsNone() throws IOException {
    spec("etc/cdi/nvidia.yaml", YAML.replace(UUID, "GPU-another"));
    assertThat(access().cdiDevices()).isEmpty();
    assertThat(access().environment()).containsEntry("NVIDIA_VISIBLE_DEVICES", UUID);
  }

  @Test
  void aSpecOfSomethingElseIsNone() throws IOException {
    spec("etc/cdi/other.yaml", YAML.replace("nvidia.com/gpu", "example.com/gpu"));
    assertThat(access().cdiDevices()).isEmpty();
  }

  @Test
  void aBrokenSpecIsNone() throws IOException {
    spec("etc/cdi/nvidia.yaml", "kind: [");
    assertThat(access().cdiDevices()).isEmpty();
  }

  @Test
  void aNameThatTwoSpecsOfAFolderHoldIsNone() throws IOException {
    spec("etc/cdi/a.yaml", YAML);
    spec("etc/cdi/b.yaml", YAML);
    assertThat(access().cdiDevices()).isEmpty();
  }

  private ContainerAccess access() {
    return access(List.of(card(UUID)));
  }

  private ContainerAccess access(List<Device> cards) {
    return new NvidiaContainerAccess(host, host).look(cards).apply(cards);
  }

  private static Device card(String uuid) {
    return new Device(uuid, 1, "/dev/nvidia1", "Tesla P4", 7611L, null, 29, Health.HEALTHY, null);
  }

  @Test
  void severalCardsAreNamedTogether() throws IOException {
    var both = List.of(card(UUID), card("GPU-other"));

    assertThat(access(both).environment())
        .containsEntry("NVIDIA_VISIBLE_DEVICES", UUID + ",GPU-other");

    // By CDI only where that holds all of them: each way injects by itself.
    spec("etc/cdi/nvidia.yaml", YAML);
    assertThat(access(both).cdiDevices()).isEmpty();
  }

  private void spec(String path, String content) throws IOException {
    Files.createDirectories(host.resolve(path).getParent());
    Files.writeString(host.resolve(path), content);
  }
}
