package io.baetyl.gpu.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/** Whether a card has room for others. */
public enum Occupancy {
  /** Nobody holds any of it. */
  FREE("Free"),
  /** Some of it is held; the rest is free for others. */
  SHARED("Shared"),
  /** One container has it alone; the rest of it is not free. */
  EXCLUSIVE("Exclusive");

  private final String value;

  Occupancy(String value) {
    this.value = value;
  }

  /** The value of this name in YAML, or null where it is one that this program does not know. */
  @JsonCreator
  public static Occupancy of(String value) {
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
