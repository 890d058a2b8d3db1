package io.baetyl.gpu.metrics.reporting;

import io.fabric8.kubernetes.api.model.node.v1.RuntimeClass;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Whether the cluster has a RuntimeClass of a name; asked for once a minute at most. */
public final class RuntimeClasses implements BooleanSupplier {
  private static final long EVERY_NANOS = Duration.ofMinutes(1).toNanos();

  private final KubernetesClient client;
  private final String name;
  private boolean exists;
  private boolean asked;
  private long askedAtNanos;

  public RuntimeClasses(KubernetesClient client, String name) {
    this.client = client;
    this.name = name;
  }

  @Override
  public boolean getAsBoolean() {
    if (!asked || System.nanoTime() - askedAtNanos > EVERY_NANOS) {
      asked = true;
      askedAtNanos = System.nanoTime();
      try {
        exists = client.resources(RuntimeClass.class).withName(name).get() != null;
      } catch (KubernetesClientException keepsTheLastAnswer) {
        return exists;
      }
    }
    return exists;
  }
}
