package io.baetyl.gpu.deviceplugin.allocation;

import io.baetyl.gpu.api.v1alpha1.Device;
import java.util.List;
import java.util.Map;

/**
 * What a container is given.
 *
 * @param devices one or more
 * @param environment variables that tell it what of them it has
 */
public record Grant(List<Device> devices, Map<String, String> environment) {
  public Grant {
    devices = List.copyOf(devices);
    environment = Map.copyOf(environment);
  }
}
