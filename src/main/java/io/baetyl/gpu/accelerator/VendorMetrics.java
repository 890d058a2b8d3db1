package io.baetyl.gpu.accelerator;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The metrics of a vendor's own exporter, which existing dashboards know.
 *
 * @param families in the order in which they are served
 * @param labels of a device's series
 */
public record VendorMetrics(
    List<Family> families, Function<FoundDevice, LinkedHashMap<String, String>> labels) {

  /** For a vendor whose devices nobody charts yet by other names than the neutral ones. */
  public static final VendorMetrics NONE =
      new VendorMetrics(List.of(), device -> new LinkedHashMap<>(Map.of()));

  /**
   * A gauge that each device has.
   *
   * @param name as the vendor's exporter calls it
   * @param help what it says and in which unit, in a sentence
   * @param value of a device that answers; empty where it does not tell
   */
  public record Family(
      String name, String help, BiFunction<FoundDevice, Sample, OptionalDouble> value) {}
}
