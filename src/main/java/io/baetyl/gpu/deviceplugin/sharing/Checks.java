package io.baetyl.gpu.deviceplugin.sharing;

import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.Occupancy;
import io.baetyl.gpu.deviceplugin.allocation.Admission;
import io.baetyl.gpu.deviceplugin.allocation.AllocationRefusedException;
import io.baetyl.gpu.deviceplugin.allocation.HeldPod;
import io.baetyl.gpu.model.NodeCards;
import io.baetyl.gpu.model.UnitId;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/** What an Allocate is refused for, whatever the kubelet was told to prefer. Pure. */
final class Checks {
  private Checks() {}

  /** The card of all these units, which has to be one and to work. */
  static Device onlyCard(SharedCards shared, Collection<String> ids)
      throws AllocationRefusedException {
    var card = new HashSet<String>();
    for (var id : ids) {
      var unit = UnitId.parse(id);
      var device = unit.flatMap(known -> shared.device(known.card()));
      if (device.isEmpty() || unit.get().number() >= SharedCards.unitsOf(device.get())) {
        throw new AllocationRefusedException("This node has no unit " + id + " (any more)");
      }
      card.add(unit.get().card());
    }
    if (card.size() != 1) {
      throw new AllocationRefusedException(
          "A container can have units of one card only, and the kubelet wants to give it units of "
              + card.size());
    }
    var device = shared.device(card.iterator().next()).orElseThrow();
    if (!device.canBeHandedOut()) {
      throw new AllocationRefusedException(
          "Card " + device.id() + " is unhealthy: " + device.healthReason());
    }
    return device;
  }

  /** A card that another pod has alone is not shared, and a card has only so many units. */
  static void refuseBesideOthers(
      SharedCards shared, Device device, Admission admission, int units, List<HeldPod> held)
      throws AllocationRefusedException {
    var key = admission.pod().key();
    var taken =
        Hold.of(held, List.of(), pod -> Optional.empty()).stream()
            .filter(hold -> hold.taken() && hold.card().equals(device.id()))
            .toList();
    var others =
        NodeCards.of(
            shared.rules(),
            List.of(device),
            taken.stream()
                .filter(hold -> !hold.pod().key().equals(key))
                .map(Hold::holding)
                .toList());
    // The parts of a pod that have init containers share units among themselves.
    var part = admission.part();
    int own =
        taken.stream()
            .filter(hold -> hold.pod().key().equals(key))
            .filter(
                hold ->
                    part.map(mine -> !mine.containers().contains(hold.container())).orElse(true))
            .mapToInt(Hold::units)
            .sum();
    int wanted = part.map(mine -> Math.max(mine.units(), units)).orElse(units);
    if (!others.fits(0, wanted, own)) {
      throw new AllocationRefusedException(
          admission.describe()
              + (" cannot have " + wanted + " units of card " + device.id())
              + (": " + reason(others)));
    }
  }

  private static String reason(NodeCards others) {
    return others.occupancy(0) == Occupancy.EXCLUSIVE
        ? "another pod has it alone"
        : "other pods hold %d of its %d units, and it has %d free for newcomers"
            .formatted(others.allocated(0), others.units(0), others.free(0));
  }
}
