package io.baetyl.gpu.operator.events;

import io.baetyl.gpu.api.v1alpha1.Condition;
import io.baetyl.gpu.api.v1alpha1.ConditionType;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a change of Ready, or of the reason why not, as an Event. An Event that cannot be written
 * is not worth a retry: the condition says the same.
 */
public final class ConditionEvents {
  private static final Logger LOG = LoggerFactory.getLogger(ConditionEvents.class);

  private final KubernetesClient client;
  private final Clock clock;

  public ConditionEvents(KubernetesClient client, Clock clock) {
    this.client = client;
    this.clock = clock;
  }

  /** To be called once the status has been written. */
  public void onChange(HasMetadata object, List<Condition> before, List<Condition> after) {
    var now = Condition.find(after, ConditionType.READY).orElseThrow();
    var then = Condition.find(before, ConditionType.READY);
    boolean same =
        then.filter(
                known -> known.status().equals(now.status()) && known.reason().equals(now.reason()))
            .isPresent();
    if (!same) {
      tell(object, now);
    }
  }

  private void tell(HasMetadata object, Condition ready) {
    var about =
        new ObjectReferenceBuilder()
            .withApiVersion(object.getApiVersion())
            .withKind(object.getKind())
            .withName(object.getMetadata().getName())
            .withUid(object.getMetadata().getUid())
            .build();
    var type = ready.isTrue() ? "Normal" : "Warning";
    try {
      client
          .resource(
              OperatorEvent.about(about, type, ready.reason(), ready.message(), clock.instant()))
          .create();
    } catch (KubernetesClientException refused) {
      LOG.warn(
          "Cannot write an event. object={} reason={}",
          object.getMetadata().getName(),
          refused.getMessage());
    }
  }
}
