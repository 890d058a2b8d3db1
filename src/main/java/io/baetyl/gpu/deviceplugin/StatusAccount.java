package io.baetyl.gpu.deviceplugin;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.PluginState;
import io.baetyl.gpu.api.v1alpha1.PluginStatus;
import io.baetyl.gpu.deviceplugin.allocation.Inventory;
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
  private final KubeletSide kubelet;
  private final AcceleratorType accelerator;
  private Instant wroteAt = Instant.MIN;
  private NodeReport.Content written;

  /** The account of this process that the API server took last; null while it has none. */
  private NodeReport.Content own;

  private PluginState state;
  private String message;
  private boolean stopping;

  /**
   * @param accelerator the type of the devices that the plugin hands out
   */
  StatusAccount(NodeReport report, KubeletSide kubelet, AcceleratorType accelerator) {
    this.report = report;
    this.kubelet = kubelet;
    this.accelerator = accelerator;
  }

  /** What the API server has; empty where the node has no GpuNode. */
  Optional<NodeReport.Content> current() {
    return report.current();
  }

  /** Who holds what by the account until now; empty where the node has no GpuNode. */
  Optional<List<Allocation>> rows() {
    return report
        .current()
        .map(current -> written == null ? current.allocations() : written.allocations());
  }

  /**
   * Writes who holds what, in which units, and whether the plugin serves.
   *
   * @return false where it is too early for another write
   */
  boolean write(Inventory inventory, List<Allocation> rows, Instant now) throws IOException {
    var current = report.current();
    var content = new NodeReport.Content(Optional.of(plugin(inventory)), rows);
    if (stopping) {
      return writeLast(content);
    }
    boolean onItsWay = content.equals(written) && now.isBefore(wroteAt.plus(WATCH_LAG));
    if (current.filter(content::equals).isPresent()) {
      // Once something was written, the watch may show what was there before.
      own = own == null ? content : own;
      return true;
    }
    if (current.isEmpty() || onItsWay) {
      return true;
    }
    if (now.isBefore(wroteAt.plus(BETWEEN_WRITES))) {
      return false;
    }
    report.write(content);
    written = content;
    own = content;
    wroteAt = now;
    return true;
  }

  /** The process that takes over may have written its account already. */
  private boolean writeLast(NodeReport.Content content) throws IOException {
    if (own != null && !content.equals(own)) {
      boolean replaced = report.replace(own, content);
      if (replaced) {
        written = content;
      }
      own = replaced ? content : null;
    }
    return true;
  }

  private PluginStatus plugin(Inventory inventory) {
    if (!stopping) {
      var obstacle = kubelet.obstacle();
      if (obstacle.isPresent()) {
        state = PluginState.BLOCKED;
        message = obstacle.get();
      } else if (kubelet.listening()) {
        // It stays so while the kubelet restarts: then the node itself is not ready.
        state = PluginState.SERVING;
        message = null;
      }
    }
    return new PluginStatus(
        state, message, inventory.resourceName(), inventory.unit(), accelerator);
  }

  /** From now on the account says that the plugin stops, and is written at once. */
  void stopping() {
    stopping = true;
    state = PluginState.STOPPING;
    message = "The device plugin of this node stops; its pods keep their cards";
  }
}
