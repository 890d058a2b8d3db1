package io.baetyl.gpu.accelerator.bitmain;

import io.baetyl.gpu.accelerator.NodeRoots;
import io.baetyl.gpu.accelerator.kernel.KernelFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** What Sophgo's driver tells of chips in procfs, which a SoC box has none of, and in sysfs. */
final class ChipFiles {
  private static final Pattern SERIAL_NUMBER = Pattern.compile("[A-Za-z0-9-]{4,17}");

  /** The driver prints it as {@code 0} or as {@code "enable": 0}, by its version. */
  private static final Pattern DISABLED = Pattern.compile("(\"enable\":\\s*)?0");

  private final Path cards;
  private final Path classes;

  ChipFiles(NodeRoots roots) {
    this.cards = roots.hardware().resolve("proc/bmsophon");
    this.classes = roots.hardware().resolve("sys/class");
  }

  /**
   * Where a chip is.
   *
   * @param serialNumber of its card; empty where the card has none
   * @param isAlone whether its card has no other chip
   * @param pciAddress such as {@code 000:01:00.0}
   */
  record Location(Optional<String> serialNumber, boolean isAlone, String pciAddress) {}

  /**
   * Where a chip is; empty where the driver does not tell.
   *
   * @param number of its device node
   */
  Optional<Location> location(int number) {
    return KernelFile.entries(cards, "card*").stream()
        .flatMap(
            card ->
                KernelFile.text(card.resolve("bmsophon" + number + "/dbdf")).stream()
                    .map(
                        address ->
                            new Location(
                                KernelFile.text(card.resolve("sn")).filter(ChipFiles::isSerial),
                                KernelFile.number(card.resolve("chip_num_on_card")).orElse(0) == 1,
                                address)))
        .findFirst();
  }

  /** Whether a text is what a card's maker has given it, and no filler. */
  static boolean isSerial(String text) {
    return SERIAL_NUMBER.matcher(text).matches();
  }

  /**
   * Whether the driver measures how busy a chip is. Where it has been told not to, it gives 0 or
   * what it has measured last.
   */
  boolean isUtilizationMeasured(int number) {
    return List.of("bm-sophon/bm-sophon" + number, "bm-tpu/bm-tpu" + number).stream()
        .flatMap(
            chip -> KernelFile.text(classes.resolve(chip + "/device/npu_usage_enable")).stream())
        .noneMatch(text -> DISABLED.matcher(text).matches());
  }
}
