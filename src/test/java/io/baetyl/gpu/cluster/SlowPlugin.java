package io.baetyl.gpu.cluster;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A device plugin that has next to no processor, and never more than a millisecond of it at a time:
 * no answer takes less than a tenth of a second.
 */
final class SlowPlugin implements AutoCloseable {
  private static final long PERIOD_MICROS = 50_000;

  /** The least that a kernel gives. */
  private static final long QUOTA_MICROS = 1_000;

  private final String node;
  private final String podUid;
  private final Path cgroup;

  private SlowPlugin(String node, String podUid) {
    this.node = node;
    this.podUid = podUid;
    this.cgroup = PodProcesses.cgroup(node, podUid).orElseThrow();
    limit(PERIOD_MICROS, Long.toString(QUOTA_MICROS));
  }

  static SlowPlugin on(KubernetesClient client, String node) {
    var plugin = Components.podOn(client, Components.DEVICE_PLUGIN, node);
    return new SlowPlugin(node, plugin.getMetadata().getUid());
  }

  /** Does something while it does not answer at all. */
  void whileItStands(Runnable action) {
    PodProcesses.pause(node, podUid);
    try {
      action.run();
    } finally {
      PodProcesses.resume(node, podUid);
    }
  }

  private void limit(long periodMicros, String quota) {
    try {
      if (Files.exists(cgroup.resolve("cpu.max"))) {
        var unlimited = quota.equals("-1") ? "max" : quota;
        Files.writeString(cgroup.resolve("cpu.max"), unlimited + " " + periodMicros);
      } else {
        Files.writeString(cgroup.resolve("cpu.cfs_period_us"), Long.toString(periodMicros));
        Files.writeString(cgroup.resolve("cpu.cfs_quota_us"), quota);
      }
    } catch (IOException refused) {
      throw new UncheckedIOException(cgroup.toString(), refused);
    }
  }

  @Override
  public void close() {
    limit(100_000, "-1");
  }
}
