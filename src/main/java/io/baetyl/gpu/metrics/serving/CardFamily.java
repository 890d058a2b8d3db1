package io.baetyl.gpu.metrics.serving;

import io.baetyl.gpu.accelerator.Sample;
import io.baetyl.gpu.accelerator.VendorMetrics;
import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.metrics.watching.WatchedDevice;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * A gauge that each device has.
 *
 * @param name the family's
 * @param help what it says, in a sentence
 * @param value of a device; empty where it is not known, so that the series is absent
 */
record CardFamily(String name, String help, Function<WatchedDevice, OptionalDouble> value) {
  private static final long BYTES_PER_MIB = 1 << 20;

  /** The names of the vendor's own exporter. */
  static List<CardFamily> of(VendorMetrics vendor) {
    return vendor.families().stream()
        .map(
            family ->
                new CardFamily(
                    family.name(),
                    family.help(),
                    card ->
                        answer(card)
                            .map(sample -> family.value().apply(card.device(), sample))
                            .orElseGet(OptionalDouble::empty)))
        .toList();
  }

  /** A device that does not answer has no figures: a flat line would look like one that rests. */
  private static Optional<Sample> answer(WatchedDevice card) {
    return card.answering() ? card.figures() : Optional.empty();
  }

  /** The names that all types of accelerators share; in base units. */
  static final List<CardFamily> NEUTRAL =
      List.of(
          new CardFamily(
              "baetyl_gpu_memory_total_bytes", "Memory of the device.", card -> bytes(total(card))),
          new CardFamily(
              "baetyl_gpu_memory_used_bytes",
              "Memory of the device in use, by whomever.",
              card -> bytes(now(card, Sample::usedBytes))),
          new CardFamily(
              "baetyl_gpu_memory_free_bytes",
              "Memory of the device not in use.",
              card -> bytes(now(card, Sample::freeBytes))),
          new CardFamily(
              "baetyl_gpu_utilization_ratio",
              "Share of time in which the device was busy, 0 to 1.",
              card -> figure(card, Sample::utilization)),
          new CardFamily(
              "baetyl_gpu_temperature_celsius",
              "Temperature of the chip.",
              card -> figure(card, Sample::temperatureCelsius)),
          new CardFamily(
              "baetyl_gpu_power_watts",
              "Power that the device draws.",
              card -> figure(card, Sample::powerWatts)),
          new CardFamily(
              "baetyl_gpu_healthy",
              "1 if the device can be handed out, 0 if it does not answer or reports a fault.",
              card -> OptionalDouble.of(card.health() == Health.HEALTHY ? 1 : 0)));

  /** Memory does not change, so that it is known also of a device that does not answer. */
  private static OptionalLong total(WatchedDevice card) {
    var told = card.figures().map(Sample::totalBytes).orElse(OptionalLong.empty());
    long found = card.device().memoryMiB() * BYTES_PER_MIB;
    return told.isPresent() || found == 0 ? told : OptionalLong.of(found);
  }

  private static OptionalLong now(WatchedDevice card, Function<Sample, OptionalLong> figure) {
    return answer(card).map(figure).orElseGet(OptionalLong::empty);
  }

  private static OptionalDouble figure(
      WatchedDevice card, Function<Sample, OptionalDouble> figure) {
    return answer(card).map(figure).orElseGet(OptionalDouble::empty);
  }

  private static OptionalDouble bytes(OptionalLong bytes) {
    return bytes.isPresent() ? OptionalDouble.of(bytes.getAsLong()) : OptionalDouble.empty();
  }
}
