package io.baetyl.gpu.metrics.reporting;

import io.fabric8.kubernetes.api.model.node.v1.RuntimeClass;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Which RuntimeClasses the cluster has; asked for once a minute at most. */
public final class RuntimeClasses {
  private static final long EVERY_NANOS = Duration.ofMinutes(1).toNanos();

  private record Answer(boolean exists, long askedAtNanos) {}

  private final KubernetesClient client;
  private final Map<String, Answer> answers = new HashMap<>();

  public RuntimeClasses(KubernetesClient client) {
    this.client = client;
  }

  /** Whether there is one of a name; while the API server does not answer, what it said last. */
  public synchronized boolean exists(String name) {
    return answers
        .compute(
            name,
            (key, last) ->
                last == null || System.nanoTime() - last.askedAtNanos() > EVERY_NANOS
                    ? new Answer(ask(key, last != null && last.exists()), System.nanoTime())
                    : last)
        .exists();
  }

  private boolean ask(String name, boolean last) {
    try {
      return client.resources(RuntimeClass.class).withName(name).get() != null;
    } catch (KubernetesClientException unanswered) {
      return last;
    }
  }
}
