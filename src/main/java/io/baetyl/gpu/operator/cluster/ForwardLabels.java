package io.baetyl.gpu.operator.cluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.util.function.Consumer;

/** Passes a node on when it comes, goes or is labelled differently; not its every heartbeat. */
final class ForwardLabels implements ResourceEventHandler<Node> {
  private final Consumer<HasMetadata> listener;

  ForwardLabels(Consumer<HasMetadata> listener) {
    this.listener = listener;
  }

  @Override
  public void onAdd(Node added) {
    listener.accept(added);
  }

  @Override
  public void onUpdate(Node before, Node after) {
    if (!ClusterView.labels(before).equals(ClusterView.labels(after))) {
      listener.accept(after);
    }
  }

  @Override
  public void onDelete(Node deleted, boolean finalStateUnknown) {
    listener.accept(deleted);
  }
}
