package io.baetyl.gpu.deviceplugin.sharing;

import io.baetyl.gpu.deviceplugin.allocation.Admission;
import io.baetyl.gpu.deviceplugin.allocation.Ledger;
import io.baetyl.gpu.model.UnitId;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Which units of which cards a container can have.
 *
 * @param shared what is shared
 * @param ledger who holds what
 * @param admission the container
 * @param mustInclude what it takes over from its pod's init containers
 */
record UnitChoice(SharedCards shared, Ledger ledger, Admission admission, Set<String> mustInclude) {

  /**
   * The units that the container can have, by card.
   *
   * @param available what the kubelet has to give
   * @param unpromised whether a unit is on its way to nobody else
   */
  Map<String, Set<String>> free(Set<String> available, Predicate<String> unpromised) {
    var key = admission.pod().key();
    var own = own();
    var byCard = new HashMap<String, Set<String>>();
    var offered = new HashSet<>(available);
    offered.addAll(mustInclude);
    for (var id : offered) {
      var unit = UnitId.parse(id);
      var device = unit.flatMap(known -> shared.device(known.card()));
      boolean exists =
          device.isPresent() && unit.get().number() < SharedCards.unitsOf(device.get());
      boolean unheld =
          ledger
              .holderOf(id)
              .map(holder -> holder.equals(key) && (own.contains(id) || mustInclude.contains(id)))
              .orElse(true);
      if (exists && unheld && unpromised.test(id)) {
        byCard.computeIfAbsent(device.get().id(), card -> new HashSet<>()).add(id);
      }
    }
    return byCard;
  }

  /** The card that the container has to share with what its pod has already. */
  Optional<String> boundCard() {
    for (var id : mustInclude) {
      var unit = UnitId.parse(id);
      if (unit.isPresent()) {
        return Optional.of(unit.get().card());
      }
    }
    return admission
        .part()
        .flatMap(
            part ->
                ledger.find(admission.pod()).flatMap(held -> Hold.cardOf(held, part.containers())));
  }

  /** So many of the free units of a card: the container's own first, then the lowest. */
  Set<String> pick(Set<String> free, int size) {
    var own = own();
    var ids = new LinkedHashSet<>(mustInclude);
    var inOrder =
        new TreeSet<String>(
            Comparator.comparing((String id) -> !own.contains(id))
                .thenComparingInt(id -> UnitId.parse(id).map(UnitId::number).orElse(0)));
    inOrder.addAll(free);
    for (var id : inOrder) {
      if (ids.size() == size) {
        break;
      }
      ids.add(id);
    }
    return Set.copyOf(ids);
  }

  private Set<String> own() {
    return ledger
        .find(admission.pod())
        .map(held -> held.idsOf(admission.container()))
        .orElse(Set.of());
  }
}
