package io.baetyl.gpu.metrics.reporting;

import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.model.ShareRules;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What this agent knows of the API server: its own GpuNode, by whatever way it came. It stays when
 * the API server goes.
 */
public final class NodeView {
  private final AtomicReference<GpuNode> node = new AtomicReference<>();

  /** Takes the node as read or as answered to a write, unless a later one is known. */
  void see(GpuNode latest) {
    node.accumulateAndGet(latest, (known, seen) -> isLater(seen, known) ? seen : known);
  }

  private static boolean isLater(GpuNode seen, GpuNode known) {
    return known == null
        || !known.getMetadata().getUid().equals(seen.getMetadata().getUid())
        || version(seen) > version(known);
  }

  /** Resource versions can be compared since KEP-5504, and always could on etcd. */
  private static long version(HasMetadata object) {
    return Long.parseLong(object.getMetadata().getResourceVersion());
  }

  void lose() {
    node.set(null);
  }

  /** The node's GpuNode; empty where there is none, or none has been read yet. */
  public Optional<GpuNode> node() {
    return Optional.ofNullable(node.get());
  }

  /** Its status, or an empty one. */
  public GpuNodeStatus status() {
    return node().map(GpuNode::statusOrEmpty).orElse(GpuNodeStatus.EMPTY);
  }

  /** The rules by which its cards are shared; empty where they are not. */
  public Optional<ShareRules> rules() {
    return Optional.of(status())
        .filter(status -> status.allocation() == AllocationMode.SHARED)
        .map(GpuNodeStatus::sharingAsCounted)
        .map(ShareRules::of);
  }
}
