package io.baetyl.gpu.operator.cluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.util.function.Consumer;

/**
 * Passes a node on when it comes, goes, is labelled differently or offers another extended
 * resource; not its every heartbeat.
 */
final class ForwardNodes implements ResourceEventHandler<Node> {
  private final Consumer<HasMetadata> listener;

  ForwardNodes(Consumer<HasMetadata> listener) {
    this.listener = listener;
  }

  @Override
  public void onAdd(Node added) {
    listener.accept(added);
  }

  @Override
  public void onUpdate(Node before, Node after) {
    if (!ClusterView.labels(before).equals(ClusterView.labels(after))
        || !ClusterView.offered(before).equals(ClusterView.offered(after))) {
      listener.accept(after);
    }
  }

  @Override
  public void onDelete(Node deleted, boolean finalStateUnknown) {
    listener.accept(deleted);
  }
}
