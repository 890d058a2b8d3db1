package io.baetyl.gpu.operator.events;

import io.baetyl.gpu.api.v1alpha1.WellKnownLabels;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.ObjectReference;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** An Event that the operator reports. */
public final class OperatorEvent {
  /** Where Kubernetes keeps the Events of objects that are in no namespace. */
  private static final String CLUSTER_SCOPED = "default";

  /** The longest message of an Event that the API server takes. */
  private static final int LONGEST = 1024;

  private OperatorEvent() {}

  /**
   * An Event in the namespace of what it is about, with a message that is cut to what an Event
   * holds.
   *
   * @param type Normal or Warning
   * @param reason in one word
   */
  public static Event about(
      ObjectReference object, String type, String reason, String message, Instant now) {
    var time = now.truncatedTo(ChronoUnit.SECONDS).toString();
    return new EventBuilder()
        .withNewMetadata()
        .withGenerateName(object.getName() + ".")
        .withNamespace(object.getNamespace() == null ? CLUSTER_SCOPED : object.getNamespace())
        .endMetadata()
        .withInvolvedObject(object)
        .withType(type)
        .withReason(reason)
        .withMessage(message.length() > LONGEST ? message.substring(0, LONGEST) : message)
        .withNewSource()
        .withComponent(WellKnownLabels.OPERATOR)
        .endSource()
        .withReportingComponent(WellKnownLabels.OPERATOR)
        .withFirstTimestamp(time)
        .withLastTimestamp(time)
        .withCount(1)
        .build();
  }
}
