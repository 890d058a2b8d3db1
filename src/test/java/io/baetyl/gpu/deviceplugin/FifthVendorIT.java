package io.baetyl.gpu.deviceplugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.Vendor;
import io.baetyl.gpu.accelerator.folder.FolderNode;
import io.baetyl.gpu.accelerator.folder.FolderVendor;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.deviceplugin.wholedevices.WholeDeviceStrategy;
import io.baetyl.gpu.kubelet.deviceplugin.DeviceSpec;
import io.baetyl.gpu.kubelet.deviceplugin.Mount;
import io.baetyl.gpu.model.ContainerRequest;
import io.baetyl.gpu.model.ContainerRequest.Kind;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The device plugin hands out a vendor that is one more folder and list entry. */
class FifthVendorIT {
  @TempDir private Path folder;
  private final Vendor vendor = new FolderVendor();
  private final FakeNode node = new FakeNode();
  private FakeKubelet kubelet;
  private NodePlugin plugin;

  @BeforeEach
  void start() throws Exception {
    var folders = new FolderNode(folder.resolve("node")).add(0, "serial-a", 4096, 0);
    folders.add(1, "serial-b", 4096, 0);
    folders.installLibraries();
    var here = vendor.on(folders.roots());
    List<Device> reported;
    try (var source = here.devices()) {
      reported = source.discover().stream().map(FifthVendorIT::healthy).toList();
    }
    var status = GpuNodeStatus.ofMetricsAgent(null, FolderVendor.TYPE, reported);
    kubelet = new FakeKubelet(folder).start();
    plugin =
        new NodePlugin(
            new NodePlugin.Surroundings(
                FolderVendor.TYPE,
                "baetyl-folder-devices.sock",
                kubelet.devicePlugins(),
                kubelet.podResources(),
                here::access,
                ConcurrentHashMap.<String>newKeySet()::contains,
                node,
                () -> true,
                node),
            parts ->
                WholeDeviceStrategy.of(
                    parts, new ReportedDevices(vendor.requirements(), () -> status)));
    plugin.start();
    await().untilAsserted(() -> assertThat(kubelet.devices()).hasSize(2));
  }

  private static Device healthy(FoundDevice found) {
    return new Device(
        found.id(),
        found.index(),
        found.path(),
        found.model(),
        found.memoryMiB(),
        null,
        null,
        Health.HEALTHY,
        null);
  }

  @AfterEach
  void stop() {
    plugin.close();
    kubelet.close();
  }

  private static ContainerRequest asksFor(int count) {
    return new ContainerRequest("main", count, Kind.APP);
  }

  @Test
  void theKubeletKnowsThemByTheResourceOfTheirModel() {
    assertThat(kubelet.registrations().getFirst().getResourceName())
        .isEqualTo("example.com/folder");
  }

  @Test
  void aContainerGetsWhatTheVendorSays() {
    var given = kubelet.admit(node.bind("both", null, asksFor(2))).get("main");

    assertThat(given.getDevicesList())
        .extracting(DeviceSpec::getHostPath)
        .containsExactly("/dev/folder0", "/dev/folder1");
    assertThat(given.getEnvsMap()).containsEntry("FOLDER_VISIBLE_DEVICES", "serial-a,serial-b");
    assertThat(given.getMountsList()).extracting(Mount::getHostPath).containsExactly("/opt/folder");
  }

  @Test
  void eachDeviceIsOutOnce() {
    var one = kubelet.admit(node.bind("one", null, asksFor(1))).get("main");
    var other = kubelet.admit(node.bind("other", null, asksFor(1))).get("main");

    assertThat(one.getDevices(0).getHostPath()).isNotEqualTo(other.getDevices(0).getHostPath());
    var third = node.bind("third", null, asksFor(1));
    assertThatThrownBy(() -> kubelet.admit(third)).hasMessageContaining("only 0 are free");
  }
}
