package io.baetyl.gpu.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/** Which card is chosen where several would do. */
public enum Placement {
  /** The one with the least room left: fill a card before the next. */
  BINPACK("Binpack"),
  /** The one with the most room left. */
  SPREAD("Spread");

  private final String value;

  Placement(String value) {
    this.value = value;
  }

  /** The value of this name in YAML, or null where it is one that this program does not know. */
  @JsonCreator
  public static Placement of(String value) {
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
