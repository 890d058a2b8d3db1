package io.baetyl.gpu.deviceplugin.allocation;

import io.baetyl.gpu.model.UnitId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.TreeSet;

/** The units that the kubelet is told of. Pure. */
final class UnitList {
  private UnitList() {}

  /**
   * All units of all cards. Those that pods hold of a card which is gone stay, as unhealthy: the
   * kubelet would take a unit that it does not know for one that was never given out.
   */
  static List<Unit> of(SharedCards shared, List<HeldPod> held) {
    var units = new ArrayList<Unit>();
    var cards = new HashSet<String>();
    for (var device : shared.devices()) {
      cards.add(device.id());
      for (int number = 0; number < SharedCards.unitsOf(device); number++) {
        units.add(new Unit(new UnitId(device.id(), number).format(), SharedCards.canServe(device)));
      }
    }
    var orphans = new TreeSet<String>();
    for (var holder : held) {
      for (var id : holder.allIds()) {
        if (UnitId.parse(id).map(unit -> !cards.contains(unit.card())).orElse(false)) {
          orphans.add(id);
        }
      }
    }
    orphans.forEach(id -> units.add(new Unit(id, false)));
    return units;
  }
}
