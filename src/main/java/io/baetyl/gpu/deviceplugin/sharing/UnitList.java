package io.baetyl.gpu.deviceplugin.sharing;

import io.baetyl.gpu.deviceplugin.allocation.HeldPod;
import io.baetyl.gpu.deviceplugin.allocation.Unit;
import io.baetyl.gpu.model.UnitId;
import java.util.LinkedHashMap;
import java.util.List;

/** The units that the kubelet is told of. Pure. */
final class UnitList {
  private UnitList() {}

  /**
   * All units of all cards. Those that pods hold although no card has them (any more), since it is
   * gone or the profile leaves it fewer, stay as unhealthy: the kubelet would take a unit that it
   * does not know for one that was never given out.
   */
  static List<Unit> of(SharedCards shared, List<HeldPod> held) {
    var units = new LinkedHashMap<String, Unit>();
    for (var device : shared.devices()) {
      for (int number = 0; number < SharedCards.unitsOf(device); number++) {
        var id = new UnitId(device.id(), number).format();
        units.put(id, new Unit(id, device.canBeHandedOut()));
      }
    }
    held.stream()
        .flatMap(holder -> holder.allIds().stream())
        .filter(id -> UnitId.parse(id).isPresent())
        .sorted()
        .forEach(id -> units.putIfAbsent(id, new Unit(id, false)));
    return List.copyOf(units.values());
  }
}
