package io.baetyl.gpu.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/** The accelerator types, named as in Baetyl's node label {@code baetyl-accelerator}. */
public enum AcceleratorType {
  /** NVIDIA cards on amd64. */
  NVIDIA("nvidia"),
  /** NVIDIA Jetson modules on arm64. */
  JETSON("jetson"),
  /** Huawei Ascend 310 and 310P. */
  ASCEND("ascend"),
  /** Bitmain/Sophgo BM1684 and BM1684X. */
  BITMAIN("bitmain"),
  /** The node has no accelerator, or none that is to be used. */
  NONE("none");

  private final String value;

  AcceleratorType(String value) {
    this.value = value;
  }

  /** The value of this name in YAML, or null where it is one that this program does not know. */
  @JsonCreator
  public static AcceleratorType of(String value) {
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
