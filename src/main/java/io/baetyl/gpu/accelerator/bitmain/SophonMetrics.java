package io.baetyl.gpu.accelerator.bitmain;

import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.VendorMetrics;
import io.baetyl.gpu.accelerator.VendorMetrics.Family;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** The names, units and labels of Sophgo's exporter. */
final class SophonMetrics {
  static final VendorMetrics METRICS =
      new VendorMetrics(
          List.of(
              new Family(
                  "sophon_tpu_usage_percent",
                  "Utilization of the TPU (in %).",
                  (chip, sample) ->
                      sample.utilization().isPresent()
                          ? OptionalDouble.of(sample.utilization().getAsDouble() * 100)
                          : OptionalDouble.empty()),
              new Family(
                  "sophon_chip_temperature_celsius",
                  "Temperature of the chip (in C).",
                  (chip, sample) -> sample.temperatureCelsius()),
              new Family(
                  "sophon_power_usage_watts",
                  "Power draw of the TPU (in W).",
                  (chip, sample) -> sample.powerWatts()),
              new Family(
                  "sophon_device_memory_total_bytes",
                  "Memory of the chip.",
                  (chip, sample) -> asDouble(sample.totalBytes())),
              new Family(
                  "sophon_device_memory_used_bytes",
                  "Memory of the chip in use.",
                  (chip, sample) -> asDouble(sample.usedBytes()))),
          SophonMetrics::labels);

  private SophonMetrics() {}

  private static LinkedHashMap<String, String> labels(FoundDevice chip) {
    var labels = new LinkedHashMap<String, String>();
    labels.put("device_id", Integer.toString(chip.index()));
    labels.put("model", chip.model());
    labels.put("serial", chip.id());
    return labels;
  }

  private static OptionalDouble asDouble(OptionalLong bytes) {
    return bytes.isPresent() ? OptionalDouble.of(bytes.getAsLong()) : OptionalDouble.empty();
  }
}
