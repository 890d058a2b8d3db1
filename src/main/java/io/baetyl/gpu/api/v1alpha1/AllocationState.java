package io.baetyl.gpu.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/** Where a container that holds units is in its life. */
public enum AllocationState {
  /** The card is decided, and kept for the container, which has not got it yet. */
  ASSUMED("Assumed"),
  /** The container has the card. */
  RUNNING("Running"),
  /** The pod is being deleted; its units are free when its processes are gone. */
  TERMINATING("Terminating");

  private final String value;

  AllocationState(String value) {
    this.value = value;
  }

  /** The value of this name in YAML, or null where it is one that this program does not know. */
  @JsonCreator
  public static AllocationState of(String value) {
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
