package io.baetyl.gpu.accelerator.nvidia;

import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.VendorMetrics;
import io.baetyl.gpu.accelerator.VendorMetrics.Family;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** The names, units and labels of dcgm-exporter. */
final class DcgmMetrics {
  private static final long BYTES_PER_MIB = 1 << 20;

  static final VendorMetrics METRICS =
      new VendorMetrics(
          List.of(
              new Family(
                  "DCGM_FI_DEV_FB_USED",
                  "Framebuffer memory used (in MiB).",
                  (card, sample) -> mebiBytes(sample.usedBytes())),
              new Family(
                  "DCGM_FI_DEV_FB_FREE",
                  "Framebuffer memory free (in MiB).",
                  (card, sample) -> mebiBytes(sample.freeBytes())),
              new Family(
                  "DCGM_FI_DEV_FB_TOTAL",
                  "Framebuffer memory in total (in MiB).",
                  (card, sample) -> mebiBytes(sample.totalBytes())),
              new Family(
                  "DCGM_FI_DEV_GPU_UTIL",
                  "GPU utilization (in %).",
                  (card, sample) -> percent(sample.utilization())),
              new Family(
                  "DCGM_FI_DEV_GPU_TEMP",
                  "GPU temperature (in C).",
                  (card, sample) -> sample.temperatureCelsius()),
              new Family(
                  "DCGM_FI_DEV_POWER_USAGE",
                  "Power draw (in W).",
                  (card, sample) -> sample.powerWatts())),
          DcgmMetrics::labels);

  private DcgmMetrics() {}

  private static LinkedHashMap<String, String> labels(FoundDevice card) {
    var labels = new LinkedHashMap<String, String>();
    labels.put("gpu", Integer.toString(card.index()));
    labels.put("UUID", card.id());
    labels.put("pci_bus_id", Objects.requireNonNullElse(card.pciAddress(), ""));
    labels.put("device", card.name());
    labels.put("modelName", Objects.requireNonNullElse(card.model(), ""));
    return labels;
  }

  private static OptionalDouble mebiBytes(OptionalLong bytes) {
    return bytes.isPresent()
        ? OptionalDouble.of(bytes.getAsLong() / BYTES_PER_MIB)
        : OptionalDouble.empty();
  }

  private static OptionalDouble percent(OptionalDouble ratio) {
    return ratio.isPresent()
        ? OptionalDouble.of(ratio.getAsDouble() * 100)
        : OptionalDouble.empty();
  }
}
