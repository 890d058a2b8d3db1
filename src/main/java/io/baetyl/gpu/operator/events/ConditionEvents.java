package io.baetyl.gpu.operator.events;

import io.baetyl.gpu.api.v1alpha1.Condition;
import io.baetyl.gpu.api.v1alpha1.ConditionType;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.List;

/** Tells a change of Ready, or of the reason why not, as an Event. */
public final class ConditionEvents {
  private final ObjectEvents events;

  public ConditionEvents(ObjectEvents events) {
    this.events = events;
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
      events.write(object, StartReasons.eventType(now), now.reason(), now.message());
    }
  }
}
