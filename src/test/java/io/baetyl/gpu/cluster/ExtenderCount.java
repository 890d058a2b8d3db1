package io.baetyl.gpu.cluster;

import java.util.Locale;

/** What the scheduler extender has counted since it was started. */
enum ExtenderCount {
  /** Each attempt of the scheduler to find a node for a pod asks once. */
  FILTER_CALLS,
  BIND_FAILURES,
  LOST_RACES;

  private static final int PORT = 8081;

  long now() {
    var series =
        "baetyl_gpu_scheduler_extender_%s_total ".formatted(name().toLowerCase(Locale.ROOT));
    return Components.metrics(Components.EXTENDER, PORT)
        .lines()
        .filter(line -> line.startsWith(series))
        .mapToLong(line -> Long.parseLong(line.substring(series.length())))
        .sum();
  }
}
