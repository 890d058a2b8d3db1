package io.baetyl.gpu.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/** How the accelerators of a node are handed to pods. */
public enum AllocationMode {
  /** Not at all. */
  NONE("None"),
  /** Whole devices, by count. */
  DEVICES("Devices"),
  /** By memory, several pods to a card; NVIDIA on amd64 only. */
  SHARED("Shared");

  private final String value;

  AllocationMode(String value) {
    this.value = value;
  }

  /** The value of this name in YAML, or null where it is one that this program does not know. */
  @JsonCreator
  public static AllocationMode of(String value) {
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
