package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** What a container of a {@link SharingPod} saw of cards when it started. */
record InsideContainer(String card, String memoryMiB, List<String> listing, List<String> nodes) {
  private static final Pattern LISTED = Pattern.compile("GPU (\\d+): (.*) \\(UUID: (\\S+)\\)");

  /** What its log says, or empty while it has not said all of it. */
  static Optional<InsideContainer> parse(String log) {
    var lines = log.lines().toList();
    if (!lines.contains("ready")) {
      return Optional.empty();
    }
    return Optional.of(
        new InsideContainer(
            value(lines, "card="),
            value(lines, "memory="),
            lines.stream().filter(line -> line.startsWith("GPU ")).toList(),
            lines.stream()
                .filter(line -> line.startsWith("node="))
                .map(line -> line.substring("node=".length()))
                .toList()));
  }

  private static String value(List<String> lines, String key) {
    return lines.stream()
        .filter(line -> line.startsWith(key))
        .findFirst()
        .orElse(key)
        .substring(key.length());
  }

  boolean seesNoCard() {
    return card.isEmpty() && listing.isEmpty() && nodes.isEmpty();
  }

  /**
   * Its share, after checking that variables, device nodes and the vendor's listing tell of the
   * same one card.
   */
  Held held(String pod, String container, int unitMiB) {
    var who = pod + "/" + container;
    assertThat(listing).as("cards that %s lists", who).hasSize(1);
    assertThat(nodes).as("device nodes of cards in %s", who).hasSize(1);
    var listed = LISTED.matcher(listing.getFirst());
    assertThat(listed.matches()).as("listing of %s: %s", who, listing).isTrue();
    assertThat(listed.group(1)).as("index of the card inside %s", who).isEqualTo("0");
    assertThat(listed.group(3)).as("UUID of the card inside %s", who).isEqualTo(card);
    int memory = Integer.parseInt(memoryMiB);
    assertThat(memory % unitMiB).as("memory of %s is whole units", who).isZero();
    return new Held(pod, container, card, memory / unitMiB);
  }
}
