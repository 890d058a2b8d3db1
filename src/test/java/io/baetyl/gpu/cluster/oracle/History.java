package io.baetyl.gpu.cluster.oracle;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** What has happened to the units of a node, to be told when something is wrong with them. */
final class History {
  private static final int REMEMBERED = 5000;

  /**
   * Something that happened.
   *
   * @param subjects unit ids, cards and pod UIDs that it is about
   */
  private record Entry(Instant at, Set<String> subjects, String text) {}

  private final List<Entry> entries = new ArrayList<>();

  void add(Instant at, Collection<String> subjects, String text) {
    entries.add(new Entry(at, Set.copyOf(subjects), text));
    if (entries.size() > REMEMBERED) {
      entries.subList(0, REMEMBERED / 10).clear();
    }
  }

  /** What is known of these subjects, oldest first, one to a line. */
  String of(Collection<String> subjects) {
    var wanted = new HashSet<>(subjects);
    return entries.stream()
        .filter(entry -> entry.subjects.stream().anyMatch(wanted::contains))
        .map(entry -> "  %s  %s".formatted(entry.at, entry.text))
        .collect(Collectors.joining("\n"));
  }

  /** Ids such as {@code GPU-1:0, GPU-1:1, GPU-1:2, GPU-1:7} as {@code GPU-1:0-2,7}. */
  static String brief(Collection<String> ids) {
    Map<String, List<Integer>> numbers = new LinkedHashMap<>();
    for (var id : ids) {
      int colon = id.lastIndexOf(':');
      numbers
          .computeIfAbsent(id.substring(0, Math.max(0, colon)), card -> new ArrayList<>())
          .add(Integer.parseInt(id.substring(colon + 1)));
    }
    return numbers.entrySet().stream()
        .map(card -> card.getKey() + ":" + ranges(card.getValue().stream().sorted().toList()))
        .collect(Collectors.joining(" "));
  }

  private static String ranges(List<Integer> sorted) {
    var ranges = new ArrayList<String>();
    for (int from = 0; from < sorted.size(); ) {
      int to = from;
      while (to + 1 < sorted.size() && sorted.get(to + 1) == sorted.get(to) + 1) {
        to++;
      }
      ranges.add(from == to ? "" + sorted.get(from) : sorted.get(from) + "-" + sorted.get(to));
      from = to + 1;
    }
    return String.join(",", ranges);
  }
}
