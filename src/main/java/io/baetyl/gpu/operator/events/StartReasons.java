package io.baetyl.gpu.operator.events;

import io.baetyl.gpu.api.v1alpha1.Condition;
import java.util.Set;

/**
 * The reasons of a condition that every normal start goes through: nothing is wrong yet, and nobody
 * has to do anything.
 */
public final class StartReasons {
  public static final String COMPONENT = "ComponentStarting";
  public static final String SCHEDULER = "SchedulerStarting";
  public static final String NOT_REPORTED = "NotReportedYet";
  public static final String NOT_SERVING = "PluginNotServing";

  private static final Set<String> ALL = Set.of(COMPONENT, SCHEDULER, NOT_REPORTED, NOT_SERVING);

  private StartReasons() {}

  /** The type of the Event that tells a condition: Warning where something has failed, or lasts. */
  static String eventType(Condition condition) {
    return condition.isTrue() || ALL.contains(condition.reason())
        ? ObjectEvents.NORMAL
        : ObjectEvents.WARNING;
  }
}
