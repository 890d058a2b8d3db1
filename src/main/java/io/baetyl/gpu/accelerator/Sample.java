package io.baetyl.gpu.accelerator;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The figures of a device at one moment. What the device does not tell is empty, never 0.
 *
 * @param totalBytes memory
 * @param usedBytes memory in use, by whomever
 * @param freeBytes memory not in use
 * @param utilization the share of time that the device was busy, 0 to 1
 * @param temperatureCelsius of the chip
 * @param powerWatts drawn now
 * @param processes the processes that hold memory of the device
 * @param fault why it cannot be handed out although it answers, in a sentence; empty where it can
 */
public record Sample(
    OptionalLong totalBytes,
    OptionalLong usedBytes,
    OptionalLong freeBytes,
    OptionalDouble utilization,
    OptionalDouble temperatureCelsius,
    OptionalDouble powerWatts,
    List<ProcessUse> processes,
    Optional<String> fault) {

  /**
   * Memory that one process holds.
   *
   * @param pid the process's id in the host's namespace
   * @param usedBytes how much
   */
  public record ProcessUse(int pid, long usedBytes) {}

  /** A figure that the driver tells in a fraction of its unit, such as percent or milliwatts. */
  public static OptionalDouble scaled(OptionalInt figure, int divisor) {
    return figure.isPresent()
        ? OptionalDouble.of(figure.getAsInt() / (double) divisor)
        : OptionalDouble.empty();
  }
}
