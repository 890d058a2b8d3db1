package io.baetyl.gpu.operator.events;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes Events about objects. One that cannot be written is not worth a retry: the object's status
 * says the same.
 */
public final class ObjectEvents {
  public static final String NORMAL = "Normal";
  public static final String WARNING = "Warning";

  private static final Logger LOG = LoggerFactory.getLogger(ObjectEvents.class);

  private final KubernetesClient client;
  private final Clock clock;

  public ObjectEvents(KubernetesClient client, Clock clock) {
    this.client = client;
    this.clock = clock;
  }

  /**
   * Writes an Event.
   *
   * @param object in no namespace
   * @param type {@link #NORMAL} or {@link #WARNING}
   * @param reason in one word
   */
  public void write(HasMetadata object, String type, String reason, String message) {
    var about =
        new ObjectReferenceBuilder()
            .withApiVersion(object.getApiVersion())
            .withKind(object.getKind())
            .withName(object.getMetadata().getName())
            .withUid(object.getMetadata().getUid())
            .build();
    try {
      client.resource(OperatorEvent.about(about, type, reason, message, clock.instant())).create();
    } catch (KubernetesClientException refused) {
      LOG.warn(
          "Cannot write an event. object={} reason={}",
          object.getMetadata().getName(),
          refused.getMessage());
    }
  }
}
