package io.baetyl.gpu.accelerator.jetson;

import io.baetyl.gpu.accelerator.kernel.KernelFile;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The integrated GPU's figures in the kernel's files. Paths differ between JetPack releases, so
 * they are looked for each time; the GPU's own node may also appear after this agent.
 */
record JetsonGpu(Path hardware) {
  /** In the device tree, of gm20b to gb10b; see jetson_stats' list for JetPack 4 to 7. */
  private static final Set<String> NODE_NAMES = Set.of("gpu", "gp10b", "gv11b", "ga10b", "gb10b");

  private static final int LOAD_PER_UNIT = 1000;

  /** Not connected, and the channel of an INA3221 that sums up the others. */
  private static final Set<String> NO_RAILS = Set.of("NC", "sum of shunt voltages");

  private static final List<String> TOTAL_RAILS = List.of("VDD_IN", "POM_5V_IN");

  /** Memory of the whole module, which CPU and GPU share, in bytes. */
  record Memory(long totalBytes, long availableBytes) {}

  /** The GPU's device in sysfs; empty while its driver is not loaded. */
  private Optional<Path> device() {
    return KernelFile.entries(hardware.resolve("sys/class/devfreq"), "*").stream()
        .map(frequency -> frequency.resolve("device"))
        .filter(JetsonGpu::isGpu)
        .findFirst();
  }

  private static boolean isGpu(Path device) {
    return KernelFile.text(device.resolve("of_node/name"))
        .map(name -> name.replace("\0", ""))
        .filter(NODE_NAMES::contains)
        .isPresent();
  }

  /** Whether the GPU's driver is loaded. */
  boolean isThere() {
    return device().isPresent();
  }

  /** The share of time in which the GPU was busy, 0 to 1; a GPU without power may not tell. */
  OptionalDouble utilization() {
    var load = device().map(gpu -> KernelFile.number(gpu.resolve("load")));
    return load.isPresent() && load.get().isPresent()
        ? OptionalDouble.of(load.get().getAsLong() / (double) LOAD_PER_UNIT)
        : OptionalDouble.empty();
  }

  /** In degrees Celsius. A zone without a sensor reads -256. */
  OptionalDouble temperature() {
    return KernelFile.entries(hardware.resolve("sys/class/thermal"), "thermal_zone*").stream()
        .filter(
            zone ->
                KernelFile.text(zone.resolve("type"))
                    .filter(
                        type -> type.equalsIgnoreCase("GPU-therm") || type.equals("gpu-thermal"))
                    .isPresent())
        .map(zone -> KernelFile.number(zone.resolve("temp")))
        .filter(OptionalLong::isPresent)
        .mapToDouble(milli -> milli.getAsLong() / 1000.0)
        .filter(celsius -> celsius > -100)
        .findFirst();
  }

  /** Of the whole module, in watts: its input rail where it has one, else all rails together. */
  OptionalDouble power() {
    var rails = rails().toList();
    var total =
        rails.stream()
            .filter(rail -> TOTAL_RAILS.contains(rail.name()))
            .min(Comparator.comparingInt(rail -> TOTAL_RAILS.indexOf(rail.name())));
    if (total.isPresent()) {
      return OptionalDouble.of(total.get().watts());
    }
    return rails.isEmpty()
        ? OptionalDouble.empty()
        : OptionalDouble.of(rails.stream().mapToDouble(Rail::watts).sum());
  }

  private record Rail(String name, double watts) {}

  private Stream<Rail> rails() {
    return KernelFile.entries(hardware.resolve("sys/bus/i2c/devices"), "*-004*").stream()
        .filter(
            monitor ->
                KernelFile.text(monitor.resolve("name"))
                    .filter(name -> name.startsWith("ina3221"))
                    .isPresent())
        .flatMap(
            monitor ->
                Stream.concat(
                    KernelFile.entries(monitor.resolve("hwmon"), "hwmon*").stream()
                        .flatMap(JetsonGpu::hwmonRails),
                    KernelFile.entries(monitor, "iio:device*").stream()
                        .flatMap(JetsonGpu::iioRails)))
        .filter(rail -> !NO_RAILS.contains(rail.name()));
  }

  /** JetPack 5 and later: millivolts and milliamperes. */
  private static Stream<Rail> hwmonRails(Path hwmon) {
    return KernelFile.entries(hwmon, "in*_label").stream()
        .flatMap(
            label -> {
              var number = label.getFileName().toString().replaceAll("\\D", "");
              var volts = KernelFile.number(hwmon.resolve("in" + number + "_input"));
              var amperes = KernelFile.number(hwmon.resolve("curr" + number + "_input"));
              return volts.isPresent() && amperes.isPresent()
                  ? Stream.of(
                      new Rail(
                          KernelFile.text(label).orElse(""),
                          volts.getAsLong() * amperes.getAsLong() / 1e6))
                  : Stream.empty();
            });
  }

  /** JetPack 4: milliwatts. */
  private static Stream<Rail> iioRails(Path device) {
    return KernelFile.entries(device, "rail_name_*").stream()
        .flatMap(
            name -> {
              var number = name.getFileName().toString().replaceAll("\\D", "");
              var power = KernelFile.number(device.resolve("in_power" + number + "_input"));
              return power.isPresent()
                  ? Stream.of(
                      new Rail(KernelFile.text(name).orElse(""), power.getAsLong() / 1000.0))
                  : Stream.empty();
            });
  }

  /** Of the module, since the GPU has none of its own. */
  Optional<Memory> memory() {
    var lines = KernelFile.text(hardware.resolve("proc/meminfo")).orElse("").lines().toList();
    var total = kiloBytes(lines, "MemTotal:");
    var available = kiloBytes(lines, "MemAvailable:");
    return total.isPresent() && available.isPresent()
        ? Optional.of(new Memory(total.getAsLong() * 1024, available.getAsLong() * 1024))
        : Optional.empty();
  }

  private static OptionalLong kiloBytes(List<String> lines, String key) {
    return lines.stream()
        .filter(line -> line.startsWith(key))
        .map(line -> line.substring(key.length()).replace("kB", "").strip())
        .filter(number -> number.matches("\\d{1,15}"))
        .mapToLong(Long::parseLong)
        .findFirst();
  }
}
