package io.baetyl.gpu.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/** Who decided which card a container gets. */
public enum DecidedBy {
  /** The scheduler extender, with the binding. */
  SCHEDULER("Scheduler"),
  /** The device plugin of the node, since the pod came past the scheduler. */
  DEVICE_PLUGIN("DevicePlugin");

  private final String value;

  DecidedBy(String value) {
    this.value = value;
  }

  /** The value of this name in YAML, or null where it is one that this program does not know. */
  @JsonCreator
  public static DecidedBy of(String value) {
    return YamlNames.find(values(), value);
  }

  /** The name in YAML. */
  @JsonValue
  public String value() {
    return value;
  }

  @Override
  public String toString() {
    return value;
  }
}
