package io.baetyl.gpu.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/** Whether a device can be handed out. */
public enum Health {
  /** It answers. */
  HEALTHY("Healthy"),
  /** It does not answer, or reports a fault; healthReason says which. */
  UNHEALTHY("Unhealthy"),
  /** It cannot be asked; it is handed out as if it were healthy. */
  UNKNOWN("Unknown");

  private final String value;

  Health(String value) {
    this.value = value;
  }

  /** The value of this name in YAML, or null where it is one that this program does not know. */
  @JsonCreator
  public static Health of(String value) {
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
