package io.baetyl.gpu.deviceplugin;

import io.baetyl.gpu.accelerator.ContainerAccess;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.deviceplugin.allocation.Grant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * What a container needs to use the devices it was granted. What one device needs is looked up
 * beforehand: while the kubelet waits for its Allocate no file is read for it.
 */
final class DeviceAccess {
  private final Function<List<Device>, ContainerAccess> vendor;
  private final Map<String, ContainerAccess> byDevice = new ConcurrentHashMap<>();

  /**
   * @param vendor what a container needs of some devices; may look at files
   */
  DeviceAccess(Function<List<Device>, ContainerAccess> vendor) {
    this.vendor = vendor;
  }

  /** Looks up what the devices need now. */
  void refresh(List<Device> devices) {
    devices.forEach(device -> byDevice.put(device.id(), vendor.apply(List.of(device))));
  }

  /** What a container needs, with the variables that tell it what it has. */
  ContainerAccess of(Grant grant) {
    var access = look(grant.devices());
    var environment = new HashMap<>(access.environment());
    environment.putAll(grant.environment());
    return new ContainerAccess(environment, access.deviceNodes(), access.cdiDevices());
  }

  private ContainerAccess look(List<Device> devices) {
    return devices.size() == 1
        ? byDevice.computeIfAbsent(devices.getFirst().id(), id -> vendor.apply(devices))
        : vendor.apply(devices);
  }
}
