package io.baetyl.gpu.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/** Whether the metrics agent of a node serves its endpoints. */
public enum Monitoring {
  /** Metrics are served. */
  ENABLED("Enabled"),
  /** Devices are still detected and reported, but no metrics are served. */
  DISABLED("Disabled");

  private final String value;

  Monitoring(String value) {
    this.value = value;
  }

  /** The value of this name in YAML, or null where it is one that this program does not know. */
  @JsonCreator
  public static Monitoring of(String value) {
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
