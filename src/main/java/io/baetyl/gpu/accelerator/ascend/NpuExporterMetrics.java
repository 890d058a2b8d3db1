package io.baetyl.gpu.accelerator.ascend;

import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.VendorMetrics;
import io.baetyl.gpu.accelerator.VendorMetrics.Family;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** The names, units and labels of Huawei's npu-exporter. */
final class NpuExporterMetrics {
  private static final long BYTES_PER_MB = 1 << 20;

  static final VendorMetrics METRICS =
      new VendorMetrics(
          List.of(
              new Family(
                  "npu_chip_info_utilization",
                  "Utilization of the AI cores (in %).",
                  (chip, sample) -> percent(sample.utilization())),
              new Family(
                  "npu_chip_info_temperature",
                  "Temperature of the chip (in C).",
                  (chip, sample) -> sample.temperatureCelsius()),
              new Family(
                  "npu_chip_info_power",
                  "Power draw (in W).",
                  (chip, sample) -> sample.powerWatts()),
              new Family(
                  "npu_chip_info_total_memory",
                  "Memory of the chip (in MB).",
                  (chip, sample) -> megaBytes(sample.totalBytes())),
              new Family(
                  "npu_chip_info_used_memory",
                  "Memory of the chip in use (in MB).",
                  (chip, sample) -> megaBytes(sample.usedBytes())),
              new Family(
                  "npu_chip_info_health_status",
                  "1 if the chip reports no major alarm, else 0.",
                  (chip, sample) -> OptionalDouble.of(sample.fault().isEmpty() ? 1 : 0))),
          NpuExporterMetrics::labels);

  private NpuExporterMetrics() {}

  private static LinkedHashMap<String, String> labels(FoundDevice chip) {
    var labels = new LinkedHashMap<String, String>();
    labels.put("id", Integer.toString(chip.index()));
    labels.put("model_name", chip.model());
    labels.put("vdie_id", chip.id());
    return labels;
  }

  private static OptionalDouble megaBytes(OptionalLong bytes) {
    return bytes.isPresent()
        ? OptionalDouble.of(bytes.getAsLong() / BYTES_PER_MB)
        : OptionalDouble.empty();
  }

  private static OptionalDouble percent(OptionalDouble ratio) {
    return ratio.isPresent()
        ? OptionalDouble.of(ratio.getAsDouble() * 100)
        : OptionalDouble.empty();
  }
}
