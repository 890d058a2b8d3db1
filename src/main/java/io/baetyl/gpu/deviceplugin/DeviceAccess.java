package io.baetyl.gpu.deviceplugin;

import io.baetyl.gpu.accelerator.ContainerAccess;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.deviceplugin.allocation.Grant;
import java.util.HashMap;
import java.util.List;
import java.util.function.Function;

/**
 * What a container needs to use the devices it was granted, looked up beforehand: while the kubelet
 * waits for its Allocate no file is read.
 */
final class DeviceAccess {

  /** Looks at files, and says what a container needs of some devices. */
  interface Look {
    /**
     * @param devices all of the node
     */
    Function<List<Device>, ContainerAccess> at(List<Device> devices);
  }

  private final Look vendor;
  private volatile Function<List<Device>, ContainerAccess> latest;

  DeviceAccess(Look vendor) {
    this.vendor = vendor;
    this.latest = devices -> vendor.at(devices).apply(devices);
  }

  /** Looks what the devices need now. */
  void refresh(List<Device> devices) {
    latest = vendor.at(devices);
  }

  /** What a container needs, with the variables that tell it what it has. */
  ContainerAccess of(Grant grant) {
    var access = latest.apply(grant.devices());
    var environment = new HashMap<>(access.environment());
    environment.putAll(grant.environment());
    return new ContainerAccess(
        environment, access.deviceNodes(), access.mounts(), access.cdiDevices());
  }
}
