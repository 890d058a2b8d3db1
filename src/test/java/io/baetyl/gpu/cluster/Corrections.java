package io.baetyl.gpu.cluster;

/** The device plugin's count of pods that did not get the card decided at their binding. */
final class Corrections {
  private static final String METRIC = "baetyl_gpu_corrections_total";

  private Corrections() {}

  static long of(String node) {
    return Components.metrics(Components.DEVICE_PLUGIN, node, 30061)
        .lines()
        .filter(line -> line.startsWith(METRIC))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }
}
