package io.baetyl.gpu.deviceplugin.wholedevices;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.deviceplugin.allocation.Inventory;
import io.baetyl.gpu.model.EarlierHolders;
import java.util.List;
import java.util.Optional;

/** The devices of a node, each a unit of its own whose id is the device's. */
public record WholeDevices(String resourceName, List<Device> devices) implements Inventory {
  public WholeDevices {
    devices = List.copyOf(devices);
  }

  @Override
  public String unit() {
    return null;
  }

  /** The same, with the devices that pods hold since before as none that can be handed out. */
  WholeDevices without(List<Allocation> earlier) {
    return new WholeDevices(resourceName, EarlierHolders.withhold(devices, earlier));
  }

  Optional<Device> device(String id) {
    return devices.stream().filter(device -> device.id().equals(id)).findFirst();
  }
}
