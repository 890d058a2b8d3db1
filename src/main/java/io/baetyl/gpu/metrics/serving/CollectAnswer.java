package io.baetyl.gpu.metrics.serving;

import io.baetyl.gpu.accelerator.Sample;
import io.baetyl.gpu.metrics.watching.WatchedDevice;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * What Baetyl gets: one node's figures under the node's name. Baetyl reads the numbers as floats,
 * needs an object under each name, and shows the shares of CPU and host memory beside {@code
 * percent} as ratios, so this is one too. What is not known is 0; a device that does not answer
 * keeps its last figures.
 *
 * @param deviceNum how many devices there are
 * @param devices each of them
 * @param usedMemory of all of them, in bytes
 * @param totalMemory of all of them, in bytes
 * @param percent the used share of their memory, 0 to 1
 */
public record CollectAnswer(
    int deviceNum, List<DeviceMemory> devices, long usedMemory, long totalMemory, double percent) {

  /**
   * The memory of one device.
   *
   * @param usedMemory in bytes
   * @param totalMemory in bytes
   * @param percent the used share, 0 to 1
   */
  public record DeviceMemory(long usedMemory, long totalMemory, double percent) {}

  /** The answer for a node. */
  public static Map<String, CollectAnswer> of(String node, List<WatchedDevice> devices) {
    var memories = devices.stream().map(CollectAnswer::memory).toList();
    long used = memories.stream().mapToLong(DeviceMemory::usedMemory).sum();
    long total = memories.stream().mapToLong(DeviceMemory::totalMemory).sum();
    return Map.of(
        node, new CollectAnswer(memories.size(), memories, used, total, percent(used, total)));
  }

  private static DeviceMemory memory(WatchedDevice watched) {
    long used = last(watched, Sample::usedBytes);
    long told = last(watched, Sample::totalBytes);
    long total = told == 0 ? watched.device().memoryMiB() << 20 : told;
    return new DeviceMemory(used, total, percent(used, total));
  }

  private static long last(WatchedDevice watched, Function<Sample, OptionalLong> figure) {
    return watched.figures().map(figure).orElse(OptionalLong.empty()).orElse(0);
  }

  private static double percent(long used, long total) {
    return total == 0 ? 0 : (double) used / total;
  }
}
