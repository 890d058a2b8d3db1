package io.baetyl.gpu.deviceplugin;

import io.baetyl.gpu.accelerator.ContainerAccess;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.deviceplugin.allocation.Grant;
import io.baetyl.gpu.deviceplugin.allocation.SharedCards;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * What a container needs to use the card it was granted, looked up beforehand: while the kubelet
 * waits for its Allocate no file is read.
 */
final class CardAccess {
  private static final String UUID = "BAETYL_GPU_UUID";
  private static final String MEMORY_MIB = "BAETYL_GPU_MEMORY_MIB";

  private final Function<Device, ContainerAccess> vendor;
  private final Map<String, ContainerAccess> byCard = new ConcurrentHashMap<>();

  /**
   * @param vendor what a container needs of a card; may look at files
   */
  CardAccess(Function<Device, ContainerAccess> vendor) {
    this.vendor = vendor;
  }

  /** Looks up what the cards need now. */
  void refresh(SharedCards cards) {
    cards.devices().forEach(device -> byCard.put(device.id(), vendor.apply(device)));
  }

  /** What a container needs, with the variables that tell it its card and its share. */
  ContainerAccess of(Grant grant) {
    var access = byCard.computeIfAbsent(grant.device().id(), id -> vendor.apply(grant.device()));
    var environment = new HashMap<>(access.environment());
    environment.put(UUID, grant.device().id());
    environment.put(MEMORY_MIB, Long.toString(grant.memoryMiB()));
    return new ContainerAccess(environment, access.deviceNodes(), access.cdiDevices());
  }
}
