package io.baetyl.gpu.accelerator.jetson;

import io.baetyl.gpu.accelerator.NodeRoots;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A Jetson's files, as they are on boards of several releases. */
final class Board {
  private final Path root;

  private Board(Path root) {
    this.root = root;
  }

  /** Orin Nano with JetPack 6: device tree and meminfo, a GPU, its sensors. */
  static Board orin(Path root) {
    return new Board(root)
        .file("proc/device-tree/compatible", "nvidia,p3768-0000+p3767-0003\0nvidia,tegra234\0")
        .file("proc/device-tree/model", "NVIDIA Jetson Orin Nano Developer Kit\0")
        .file("proc/device-tree/serial-number", "1421323012345\0")
        .file(
            "proc/meminfo",
            "MemTotal:        7802880 kB\nMemFree:  200000 kB\nMemAvailable:    5123456 kB\n")
        .file("sys/class/devfreq/13e40000.host1x/device/of_node/name", "host1x\0")
        .file("sys/class/devfreq/17000000.gpu/device/of_node/name", "gpu\0")
        .file("sys/class/devfreq/17000000.gpu/device/load", "437\n")
        .file("sys/class/thermal/thermal_zone0/type", "cpu-thermal\n")
        .file("sys/class/thermal/thermal_zone0/temp", "45218\n")
        .file("sys/class/thermal/thermal_zone1/type", "gpu-thermal\n")
        .file("sys/class/thermal/thermal_zone1/temp", "45968\n")
        .file("sys/bus/i2c/devices/1-0040/name", "ina3221\n")
        .rail(1, "VDD_IN", 5000, 1052)
        .rail(2, "VDD_CPU_GPU_CV", 5000, 143)
        .rail(7, "sum of shunt voltages", 5000, 9999);
  }

  /** Nano with JetPack 4: the older names of everything. */
  static Board nano(Path root) {
    var monitor = "sys/bus/i2c/devices/6-0040/";
    return new Board(root)
        .file("proc/device-tree/compatible", "nvidia,p3449-0000-b00\0nvidia,tegra210\0")
        .file("proc/device-tree/model", "NVIDIA Jetson Nano Developer Kit\0")
        .file("proc/meminfo", "MemTotal:        4059424 kB\nMemAvailable:    3000000 kB\n")
        .file("sys/class/devfreq/57000000.gpu/device/of_node/name", "gpu\0")
        .file("sys/class/devfreq/57000000.gpu/device/load", "0\n")
        .file("sys/class/thermal/thermal_zone2/type", "GPU-therm\n")
        .file("sys/class/thermal/thermal_zone2/temp", "21000\n")
        .file(monitor + "name", "ina3221x\n")
        .file(monitor + "iio:device0/rail_name_0", "POM_5V_IN\n")
        .file(monitor + "iio:device0/in_power0_input", "933\n");
  }

  /** A server with nothing of a Jetson. */
  static Board none(Path root) {
    return new Board(root);
  }

  Board rail(int number, String label, int milliVolts, int milliAmperes) {
    var hwmon = "sys/bus/i2c/devices/1-0040/hwmon/hwmon3/";
    return file(hwmon + "in" + number + "_label", label + "\n")
        .file(hwmon + "in" + number + "_input", milliVolts + "\n")
        .file(hwmon + "curr" + number + "_input", milliAmperes + "\n");
  }

  Board file(String path, String content) {
    try {
      var file = root.resolve(path);
      Files.createDirectories(file.getParent());
      Files.writeString(file, content);
      return this;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  Board without(String path) {
    try {
      Files.delete(root.resolve(path));
      return this;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  NodeRoots roots() {
    return new NodeRoots(root, root, root);
  }
}
