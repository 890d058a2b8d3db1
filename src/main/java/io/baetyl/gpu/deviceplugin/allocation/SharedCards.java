package io.baetyl.gpu.deviceplugin.allocation;

import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.model.ShareRules;
import java.util.List;
import java.util.Optional;

/**
 * What is shared on this node.
 *
 * @param rules by which it is shared
 * @param devices the cards, each with its units by these rules
 */
public record SharedCards(ShareRules rules, List<Device> devices) {
  public SharedCards {
    devices = devices.stream().map(rules::divide).toList();
  }

  Optional<Device> device(String id) {
    return devices.stream().filter(device -> device.id().equals(id)).findFirst();
  }

  static int unitsOf(Device device) {
    return device.units() == null ? 0 : device.units();
  }
}
