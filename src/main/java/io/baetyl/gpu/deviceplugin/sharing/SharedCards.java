package io.baetyl.gpu.deviceplugin.sharing;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.deviceplugin.allocation.Inventory;
import io.baetyl.gpu.model.EarlierHolders;
import io.baetyl.gpu.model.ShareRules;
import java.util.List;
import java.util.Optional;

/**
 * What is shared on this node.
 *
 * @param rules by which it is shared
 * @param devices the cards, each with its units by these rules
 */
public record SharedCards(ShareRules rules, List<Device> devices) implements Inventory {
  public SharedCards {
    devices = devices.stream().map(rules::divide).toList();
  }

  /**
   * Of a node by its status; empty while that does not say by which rules to share.
   *
   * @param type of the devices that are shared; those of another are not
   * @param earlier what pods hold since before the cards were shared
   */
  static Optional<SharedCards> in(
      GpuNodeStatus status, AcceleratorType type, List<Allocation> earlier) {
    var devices = status.detected() == type ? status.devices() : List.<Device>of();
    return Optional.ofNullable(status.sharing())
        .map(
            sharing ->
                new SharedCards(ShareRules.of(sharing), EarlierHolders.withhold(devices, earlier)));
  }

  @Override
  public String resourceName() {
    return rules.resourceName();
  }

  @Override
  public String unit() {
    return rules.unit();
  }

  Optional<Device> device(String id) {
    return devices.stream().filter(device -> device.id().equals(id)).findFirst();
  }

  static int unitsOf(Device device) {
    return device.units() == null ? 0 : device.units();
  }
}
