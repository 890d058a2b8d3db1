package io.baetyl.gpu.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/** The state of a workload on a node. */
public enum ComponentState {
  /** It is ready. */
  RUNNING("Running"),
  /** It is not ready yet; the message says why. */
  PENDING("Pending"),
  /** It cannot become ready by itself; the message says why and what to do. */
  FAILED("Failed");

  private final String value;

  ComponentState(String value) {
    this.value = value;
  }

  /** The value of this name in YAML, or null where it is one that this program does not know. */
  @JsonCreator
  public static ComponentState of(String value) {
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
