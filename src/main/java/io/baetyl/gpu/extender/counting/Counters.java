package io.baetyl.gpu.extender.counting;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What the extender counts, in the text format of Prometheus. */
public final class Counters {

  /** What is counted. */
  public enum Counter {
    FILTER_CALLS("Calls of filter."),
    PRIORITIZE_CALLS("Calls of prioritize."),
    BIND_CALLS("Calls of bind."),
    PREEMPT_CALLS("Calls of preempt."),
    MALFORMED_CALLS("Calls that could not be read."),
    BIND_FAILURES("Binds that were answered with an error, lost races included."),
    LOST_RACES("Binds that found no room any more where filter had seen some."),
    WAKES("Waiting pods that kube-scheduler was made to try again.");

    private final String help;

    Counter(String help) {
      this.help = help;
    }

    private String metric() {
      return "baetyl_gpu_scheduler_extender_" + name().toLowerCase(Locale.ROOT) + "_total";
    }
  }

  private final Map<Counter, LongAdder> counts = new EnumMap<>(Counter.class);

  public Counters() {
    for (var counter : Counter.values()) {
      counts.put(counter, new LongAdder());
    }
  }

  public void count(Counter counter) {
    counts.get(counter).increment();
  }

  public long of(Counter counter) {
    return counts.get(counter).sum();
  }

  public String text() {
    var text = new StringBuilder();
    counts.forEach(
        (counter, count) ->
            text.append("# HELP %s %s%n".formatted(counter.metric(), counter.help))
                .append("# TYPE %s counter%n".formatted(counter.metric()))
                .append("%s %d%n".formatted(counter.metric(), count.sum())));
    return text.toString();
  }
}
