package io.baetyl.gpu.accelerator.bitmain;

import io.baetyl.gpu.accelerator.NodeRoots;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The device nodes of Sophon chips: {@code /dev/bm-sophon<N>} of cards, of which numbers may be
 * missing, or {@code /dev/bm-tpu0} of a SoC box.
 */
final class ChipNodes {
  private static final Pattern OF_A_CARD = Pattern.compile("bm-sophon(\\d{1,2})");
  private static final String OF_A_BOX = "bm-tpu0";

  private final Path dev;

  ChipNodes(NodeRoots roots) {
    this.dev = roots.container().resolve("dev");
  }

  /** By which bmlib opens the chips. */
  List<Integer> numbers() {
    try (var entries = Files.list(dev)) {
      var ofCards =
          entries
              .map(entry -> OF_A_CARD.matcher(entry.getFileName().toString()))
              .filter(Matcher::matches)
              .map(matcher -> Integer.valueOf(matcher.group(1)))
              .sorted()
              .toList();
      return ofCards.isEmpty() && Files.exists(dev.resolve(OF_A_BOX)) ? List.of(0) : ofCards;
    } catch (IOException notThere) {
      return List.of();
    }
  }

  /** On the host. */
  String path(int number) {
    var ofACard = "bm-sophon" + number;
    return "/dev/" + (Files.exists(dev.resolve(ofACard)) ? ofACard : OF_A_BOX);
  }
}
