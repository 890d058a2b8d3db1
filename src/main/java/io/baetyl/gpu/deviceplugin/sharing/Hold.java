package io.baetyl.gpu.deviceplugin.sharing;

import io.baetyl.gpu.api.v1alpha1.CardDecision;
import io.baetyl.gpu.deviceplugin.allocation.HeldPod;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import io.baetyl.gpu.model.ContainerRequest;
import io.baetyl.gpu.model.Holding;
import io.baetyl.gpu.model.PodDemand;
import io.baetyl.gpu.model.UnitId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What one container holds of one card, or is to get.
 *
 * @param pod its pod
 * @param container its name
 * @param card the card
 * @param units how many
 * @param taken whether the container has got them
 */
record Hold(NodePod pod, String container, String card, int units, boolean taken) {

  /**
   * What is held on a node, and what is promised.
   *
   * @param held what is in the ledger
   * @param pods the pods of the node
   * @param decisionOf the cards decided for a pod, which it has not got yet
   */
  static List<Hold> of(
      List<HeldPod> held,
      Collection<NodePod> pods,
      Function<NodePod, Optional<CardDecision>> decisionOf) {
    var holds = new ArrayList<Hold>();
    var holders = new HashSet<String>();
    for (var holder : held) {
      holders.add(holder.pod().key());
      holds.addAll(ofPod(holder, decisionOf.apply(holder.pod())));
    }
    for (var pod : pods) {
      if (!holders.contains(pod.key())) {
        holds.addAll(ofPod(new HeldPod(pod, Map.of()), decisionOf.apply(pod)));
      }
    }
    return holds;
  }

  /** The card that one of these containers of a pod has units of. */
  static Optional<String> cardOf(HeldPod held, Collection<String> containers) {
    return containers.stream()
        .flatMap(container -> held.idsOf(container).stream())
        .flatMap(id -> UnitId.parse(id).stream())
        .map(UnitId::card)
        .findFirst();
  }

  Holding holding() {
    return new Holding(pod.key(), card, units);
  }

  private static List<Hold> ofPod(HeldPod held, Optional<CardDecision> decision) {
    var pod = held.pod();
    if (pod.requests().isEmpty()) {
      return byUnits(held);
    }
    var holds = new ArrayList<Hold>();
    var demand = pod.demand();
    for (var part : demand.parts()) {
      var heldCard = cardOf(held, part.containers());
      var card = heldCard.or(() -> decidedCard(part, decision));
      if (card.isEmpty()) {
        continue;
      }
      for (var request : demand.held()) {
        if (part.containers().contains(request.name())) {
          boolean taken =
              request.kind() == ContainerRequest.Kind.INIT
                  ? heldCard.isPresent()
                  : !held.idsOf(request.name()).isEmpty();
          if (taken || pod.life() != NodePod.Life.ENDED) {
            holds.add(new Hold(pod, request.name(), card.get(), request.units(), taken));
          }
        }
      }
    }
    return holds;
  }

  private static Optional<String> decidedCard(
      PodDemand.Part part, Optional<CardDecision> decision) {
    return decision.flatMap(
        decided ->
            part.containers().stream()
                .map(decided.cards()::get)
                .filter(card -> card != null)
                .findFirst());
  }

  /** Of a pod whose spec is not known, only what it has can be told. */
  private static List<Hold> byUnits(HeldPod held) {
    var counted = new HashSet<String>();
    var holds = new ArrayList<Hold>();
    new TreeMap<>(held.ids())
        .forEach(
            (container, ids) ->
                ids.stream()
                    .filter(counted::add)
                    .flatMap(id -> UnitId.parse(id).stream())
                    .collect(Collectors.groupingBy(UnitId::card, Collectors.counting()))
                    .forEach(
                        (card, units) ->
                            holds.add(
                                new Hold(
                                    held.pod(), container, card, Math.toIntExact(units), true))));
    return holds;
  }
}
