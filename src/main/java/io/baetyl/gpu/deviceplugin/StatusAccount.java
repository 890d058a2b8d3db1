package io.baetyl.gpu.deviceplugin;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.PluginState;
import io.baetyl.gpu.api.v1alpha1.PluginStatus;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Writes the plugin's account into the status where it differs, and not too often. */
final class StatusAccount {
  /**
   * So that a burst of changes makes few writes: each costs the API server more than the binding of
   * a pod, and everybody who watches GpuNodes reads it. The first of a burst is written at once.
   */
  private static final Duration BETWEEN_WRITES = Duration.ofMillis(500);

  /** What we wrote may take so long to come back by the watch. */
  private static final Duration WATCH_LAG = Duration.ofSeconds(5);

  private final NodeReport report;
  private final Bookkeeper.Kubelet kubelet;
  private Instant wroteAt = Instant.MIN;
  private NodeReport.Content written;
  private PluginStatus plugin;
  private boolean stopping;

  StatusAccount(NodeReport report, Bookkeeper.Kubelet kubelet) {
    this.report = report;
    this.kubelet = kubelet;
  }

  /** Who holds what by the account until now; empty where the node has no GpuNode. */
  Optional<List<Allocation>> rows() {
    return report
        .current()
        .map(current -> written == null ? current.allocations() : written.allocations());
  }

  /**
   * Writes who holds what, and whether the plugin serves.
   *
   * @return false where it is too early for another write
   */
  boolean write(List<Allocation> rows, Instant now) throws IOException {
    var current = report.current();
    var content = new NodeReport.Content(Optional.ofNullable(plugin()), rows);
    boolean onItsWay = content.equals(written) && now.isBefore(wroteAt.plus(WATCH_LAG));
    if (current.isEmpty() || content.equals(current.get()) || onItsWay) {
      return true;
    }
    if (now.isBefore(wroteAt.plus(BETWEEN_WRITES))) {
      return false;
    }
    report.write(content);
    written = content;
    wroteAt = now;
    return true;
  }

  private PluginStatus plugin() {
    if (stopping) {
      return plugin;
    }
    var obstacle = kubelet.obstacle();
    if (obstacle.isPresent()) {
      plugin = new PluginStatus(PluginState.STOPPING, obstacle.get());
    } else if (kubelet.listening()) {
      // It stays so while the kubelet restarts: then the node itself is not ready.
      plugin = new PluginStatus(PluginState.SERVING, null);
    }
    return plugin;
  }

  /** From now on the account says that the plugin stops, and is written at once. */
  void stopping() {
    stopping = true;
    plugin =
        new PluginStatus(
            PluginState.STOPPING,
            "The device plugin of this node stops; its pods keep their cards");
    wroteAt = Instant.MIN;
  }
}
