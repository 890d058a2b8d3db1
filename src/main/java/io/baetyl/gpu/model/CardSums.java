package io.baetyl.gpu.model;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.DeviceSummary;
import io.baetyl.gpu.api.v1alpha1.Occupancy;
import io.baetyl.gpu.api.v1alpha1.Summary;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The arithmetic of the status. */
public final class CardSums {
  private CardSums() {}

  /** The summary of a node whose cards are shared. */
  public static Summary ofShared(
      ShareRules rules, List<Device> devices, List<Allocation> allocations) {
    var divided =
        EarlierHolders.withhold(devices, allocations).stream().map(rules::divide).toList();
    var cards = NodeCards.of(rules, divided, holdings(allocations));
    var byCard = new ArrayList<DeviceSummary>();
    int units = 0;
    int allocated = 0;
    int free = 0;
    for (int card = 0; card < cards.size(); card++) {
      units += cards.units(card);
      allocated += cards.allocated(card);
      free += cards.free(card);
      byCard.add(
          new DeviceSummary(
              cards.id(card),
              cards.allocated(card),
              cards.free(card),
              cards.occupancy(card),
              devices.get(card).health()));
    }
    return new Summary(
        devices.size(), healthy(devices), units, allocated, free, cards.largestFree(), byCard);
  }

  /** The summary of a node whose devices are handed out whole: each is a unit. */
  public static Summary ofWhole(List<Device> devices, List<Allocation> allocations) {
    var held =
        allocations.stream()
            .filter(row -> !EarlierHolders.isOf(row))
            .map(Allocation::device)
            .collect(Collectors.toSet());
    var withheld = EarlierHolders.devices(allocations);
    var byDevice =
        devices.stream()
            .map(
                device -> {
                  var id = device.id();
                  boolean free =
                      device.canBeHandedOut() && !held.contains(id) && !withheld.contains(id);
                  return new DeviceSummary(
                      id,
                      held.contains(id) ? 1 : 0,
                      free ? 1 : 0,
                      held.contains(id) || withheld.contains(id)
                          ? Occupancy.EXCLUSIVE
                          : Occupancy.FREE,
                      device.health());
                })
            .toList();
    int allocated = byDevice.stream().mapToInt(DeviceSummary::allocatedUnits).sum();
    int free = byDevice.stream().mapToInt(DeviceSummary::freeUnits).sum();
    return new Summary(
        devices.size(), healthy(devices), devices.size(), allocated, free, free, byDevice);
  }

  /** The summary of a node whose devices are not handed out: there are no units. */
  public static Summary ofNone(List<Device> devices) {
    var byCard =
        devices.stream()
            .map(device -> new DeviceSummary(device.id(), null, null, null, device.health()))
            .toList();
    return new Summary(devices.size(), healthy(devices), null, null, null, null, byCard);
  }

  /** What the pods of a node hold by its status in the units that are handed out now. */
  public static List<Holding> holdings(List<Allocation> allocations) {
    return allocations.stream()
        .filter(allocation -> !EarlierHolders.isOf(allocation))
        .filter(allocation -> allocation.units() != null && allocation.units() > 0)
        .map(allocation -> new Holding(allocation.uid(), allocation.device(), allocation.units()))
        .toList();
  }

  private static int healthy(List<Device> devices) {
    return Math.toIntExact(devices.stream().filter(Device::canBeHandedOut).count());
  }
}
