package io.baetyl.gpu.operator.cluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Passes every real change on, whatever it is: who listens looks at the state, not at the event.
 */
final class Forward<T extends HasMetadata> implements ResourceEventHandler<T> {
  private final Consumer<HasMetadata> listener;

  Forward(Consumer<HasMetadata> listener) {
    this.listener = listener;
  }

  @Override
  public void onAdd(T added) {
    listener.accept(added);
  }

  @Override
  public void onUpdate(T before, T after) {
    if (!Objects.equals(
        before.getMetadata().getResourceVersion(), after.getMetadata().getResourceVersion())) {
      listener.accept(after);
    }
  }

  @Override
  public void onDelete(T deleted, boolean finalStateUnknown) {
    listener.accept(deleted);
  }
}
