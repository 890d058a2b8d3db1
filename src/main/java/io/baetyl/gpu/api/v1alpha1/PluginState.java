package io.baetyl.gpu.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/** Whether the device plugin of a node hands out devices. */
public enum PluginState {
  /** Registered with the kubelet. */
  SERVING("Serving"),
  /** About to stop, or gone: pods must not be sent to this node. */
  STOPPING("Stopping"),
  /** It runs, but something keeps it from serving until that is mended. */
  BLOCKED("Blocked");

  private final String value;

  PluginState(String value) {
    this.value = value;
  }

  /** The value of this name in YAML, or null where it is one that this program does not know. */
  @JsonCreator
  public static PluginState of(String value) {
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
