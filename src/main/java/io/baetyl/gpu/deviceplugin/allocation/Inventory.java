package io.baetyl.gpu.deviceplugin.allocation;

import io.baetyl.gpu.api.v1alpha1.Device;
import java.util.List;

/** What the plugin has to hand out, at one moment. */
public interface Inventory {

  /** The extended resource that pods ask for. */
  String resourceName();

  /** The memory of one unit, as in the custom resources; null where units are whole devices. */
  String unit();

  /** The devices of the node. */
  List<Device> devices();
}
