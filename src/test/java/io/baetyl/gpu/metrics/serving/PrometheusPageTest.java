package io.baetyl.gpu.metrics.serving;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.Sample;
import io.baetyl.gpu.accelerator.Vendors;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.metrics.containers.ContainerMemory;
import io.baetyl.gpu.metrics.watching.Survey;
import io.baetyl.gpu.metrics.watching.Survey.Driver;
import io.baetyl.gpu.metrics.watching.WatchedDevice;
import io.baetyl.gpu.metrics.watching.WatchedDevice.Presence;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class PrometheusPageTest {
  private static final long MIB = 1 << 20;
  private static final FoundDevice TESLA =
      new FoundDevice("GPU-1", 0, "/dev/nvidia0", "Tesla P4", "00000000:03:00.0", 7611);
  private static final Sample BUSY =
      new Sample(
          OptionalLong.of(7611 * MIB),
          OptionalLong.of(700 * MIB),
          OptionalLong.of(6811 * MIB),
          OptionalDouble.of(0.09),
          OptionalDouble.of(38),
          OptionalDouble.empty(),
          List.of(),
          Optional.empty());
  private static final List<ContainerMemory> CONTAINERS =
      List.of(
          new ContainerMemory(
              "shop", "guest", "main", "GPU-1", OptionalLong.of(1024 * MIB), OptionalLong.empty()),
          new ContainerMemory(
              "shop",
              "worker",
              "main",
              "GPU-1",
              OptionalLong.of(512 * MIB),
              OptionalLong.of(700 * MIB)));

  private static String page(Driver driver, List<ContainerMemory> containers, WatchedDevice... of) {
    var survey = new Survey(AcceleratorType.NVIDIA, driver, true, List.of(of));
    return new String(
        PrometheusPage.of(
            "edge-1",
            Vendors.of(survey.type()).orElseThrow().metrics(),
            survey,
            List.of(of),
            containers),
        StandardCharsets.UTF_8);
  }

  private static WatchedDevice healthy() {
    return new WatchedDevice(
        TESLA, Health.HEALTHY, null, Optional.of(BUSY), true, Presence.PRESENT);
  }

  private static WatchedDevice hung() {
    return new WatchedDevice(
        TESLA, Health.UNHEALTHY, "silent", Optional.of(BUSY), false, Presence.PRESENT);
  }

  @Test
  void showsWhatIsKnown() {
    assertThat(page(new Driver.Answering(), CONTAINERS, healthy()))
        .isEqualTo(
            """
            # HELP baetyl_gpu_driver_up 1 if the accelerators' driver answers, 0 if it fails or hangs.
            # TYPE baetyl_gpu_driver_up gauge
            baetyl_gpu_driver_up{node="edge-1"} 1
            # HELP DCGM_FI_DEV_FB_USED Framebuffer memory used (in MiB).
            # TYPE DCGM_FI_DEV_FB_USED gauge
            DCGM_FI_DEV_FB_USED{gpu="0",UUID="GPU-1",pci_bus_id="00000000:03:00.0",device="nvidia0",modelName="Tesla P4",Hostname="edge-1"} 700
            # HELP DCGM_FI_DEV_FB_FREE Framebuffer memory free (in MiB).
            # TYPE DCGM_FI_DEV_FB_FREE gauge
            DCGM_FI_DEV_FB_FREE{gpu="0",UUID="GPU-1",pci_bus_id="00000000:03:00.0",device="nvidia0",modelName="Tesla P4",Hostname="edge-1"} 6811
            # HELP DCGM_FI_DEV_FB_TOTAL Framebuffer memory in total (in MiB).
            # TYPE DCGM_FI_DEV_FB_TOTAL gauge
            DCGM_FI_DEV_FB_TOTAL{gpu="0",UUID="GPU-1",pci_bus_id="00000000:03:00.0",device="nvidia0",modelName="Tesla P4",Hostname="edge-1"} 7611
            # HELP DCGM_FI_DEV_GPU_UTIL GPU utilization (in %).
            # TYPE DCGM_FI_DEV_GPU_UTIL gauge
            DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-1",pci_bus_id="00000000:03:00.0",device="nvidia0",modelName="Tesla P4",Hostname="edge-1"} 9
            # HELP DCGM_FI_DEV_GPU_TEMP GPU temperature (in C).
            # TYPE DCGM_FI_DEV_GPU_TEMP gauge
            DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="GPU-1",pci_bus_id="00000000:03:00.0",device="nvidia0",modelName="Tesla P4",Hostname="edge-1"} 38
            # HELP DCGM_FI_DEV_POWER_USAGE Power draw (in W).
            # TYPE DCGM_FI_DEV_POWER_USAGE gauge
            # HELP baetyl_gpu_memory_total_bytes Memory of the device.
            # TYPE baetyl_gpu_memory_total_bytes gauge
            baetyl_gpu_memory_total_bytes{node="edge-1",device="nvidia0",uuid="GPU-1",model="Tesla P4"} 7980711936
            # HELP baetyl_gpu_memory_used_bytes Memory of the device in use, by whomever.
            # TYPE baetyl_gpu_memory_used_bytes gauge
            baetyl_gpu_memory_used_bytes{node="edge-1",device="nvidia0",uuid="GPU-1",model="Tesla P4"} 734003200
            # HELP baetyl_gpu_memory_free_bytes Memory of the device not in use.
            # TYPE baetyl_gpu_memory_free_bytes gauge
            baetyl_gpu_memory_free_bytes{node="edge-1",device="nvidia0",uuid="GPU-1",model="Tesla P4"} 7141851136
            # HELP baetyl_gpu_utilization_ratio Share of time in which the device was busy, 0 to 1.
            # TYPE baetyl_gpu_utilization_ratio gauge
            baetyl_gpu_utilization_ratio{node="edge-1",device="nvidia0",uuid="GPU-1",model="Tesla P4"} 0.09
            # HELP baetyl_gpu_temperature_celsius Temperature of the chip.
            # TYPE baetyl_gpu_temperature_celsius gauge
            baetyl_gpu_temperature_celsius{node="edge-1",device="nvidia0",uuid="GPU-1",model="Tesla P4"} 38
            # HELP baetyl_gpu_power_watts Power that the device draws.
            # TYPE baetyl_gpu_power_watts gauge
            # HELP baetyl_gpu_healthy 1 if the device can be handed out, 0 if it does not answer or reports a fault.
            # TYPE baetyl_gpu_healthy gauge
            baetyl_gpu_healthy{node="edge-1",device="nvidia0",uuid="GPU-1",model="Tesla P4"} 1
            # HELP baetyl_gpu_container_requested_memory_bytes Memory of the device that the container asked for.
            # TYPE baetyl_gpu_container_requested_memory_bytes gauge
            baetyl_gpu_container_requested_memory_bytes{node="edge-1",namespace="shop",pod="guest",container="main",uuid="GPU-1"} 1073741824
            baetyl_gpu_container_requested_memory_bytes{node="edge-1",namespace="shop",pod="worker",container="main",uuid="GPU-1"} 536870912
            # HELP baetyl_gpu_container_used_memory_bytes Memory of the device that the container's processes hold.
            # TYPE baetyl_gpu_container_used_memory_bytes gauge
            baetyl_gpu_container_used_memory_bytes{node="edge-1",namespace="shop",pod="worker",container="main",uuid="GPU-1"} 734003200
            """);
  }

  @Test
  void aCardThatHangsHasNoFiguresOfNow() {
    var page = page(new Driver.Answering(), List.of(), hung());

    assertThat(page)
        .contains("baetyl_gpu_healthy{node=\"edge-1\",device=\"nvidia0\",uuid=\"GPU-1\"", "} 0\n")
        .contains("baetyl_gpu_memory_total_bytes{")
        .doesNotContain("baetyl_gpu_memory_used_bytes{", "DCGM_FI_DEV_FB_USED{");
  }

  @Test
  void aDriverThatFailsIsDown() {
    assertThat(page(new Driver.Silent(java.time.Instant.EPOCH, "look"), List.of()))
        .contains("baetyl_gpu_driver_up{node=\"edge-1\"} 0\n");
  }

  @Test
  void everyLineIsOneThatPrometheusReads() {
    var line =
        Pattern.compile(
            "# HELP [a-zA-Z_]+ .+|# TYPE [a-zA-Z_]+ gauge"
                + "|[a-zA-Z_]+\\{[a-zA-Z_]+=\"[^\"]*\"(,[a-zA-Z_]+=\"[^\"]*\")*} -?[0-9.E]+");

    assertThat(page(new Driver.Answering(), CONTAINERS, healthy()).lines())
        .allSatisfy(text -> assertThat(text).matches(line));
  }
}
