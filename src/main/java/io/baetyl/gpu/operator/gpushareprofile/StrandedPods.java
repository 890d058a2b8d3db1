package io.baetyl.gpu.operator.gpushareprofile;

import io.baetyl.gpu.operator.components.Names;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/**
 * Pods that wait for another scheduler although they ask for shared memory: they were made before
 * the admission policy was there, and a pod's scheduler cannot be changed. They are listed now and
 * then instead of watched, since nearly always there are none.
 */
final class StrandedPods {
  static final Duration LOOK_AGAIN = Duration.ofSeconds(30);

  private final KubernetesClient client;
  private final Clock clock;
  private Instant seenAt = Instant.MIN;
  private List<Pod> seen = List.of();

  StrandedPods(KubernetesClient client, Clock clock) {
    this.client = client;
    this.clock = clock;
  }

  /** How many there are, as of at most {@link #LOOK_AGAIN} ago. */
  synchronized int count(String resource) {
    var now = clock.instant();
    if (seenAt.isBefore(now.minus(LOOK_AGAIN))) {
      seen =
          client
              .pods()
              .inAnyNamespace()
              .withField("status.phase", "Pending")
              .withField("spec.nodeName", "")
              .withoutField("spec.schedulerName", Names.SCHEDULER)
              .list()
              .getItems();
      seenAt = now;
    }
    return Math.toIntExact(seen.stream().filter(pod -> asksFor(pod, resource)).count());
  }

  static boolean asksFor(Pod pod, String resource) {
    return Stream.concat(
            pod.getSpec().getContainers().stream(), pod.getSpec().getInitContainers().stream())
        .anyMatch(container -> asksFor(container, resource));
  }

  private static boolean asksFor(Container container, String resource) {
    var limits = container.getResources() == null ? null : container.getResources().getLimits();
    var asked = limits == null ? null : limits.get(resource);
    return asked != null && Quantity.getAmountInBytes(asked).compareTo(BigDecimal.ZERO) > 0;
  }
}
