package io.baetyl.gpu.deviceplugin.sharing;

import io.baetyl.gpu.api.v1alpha1.CardDecision;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.deviceplugin.allocation.Admission;
import io.baetyl.gpu.deviceplugin.allocation.AllocationRefusedException;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import io.baetyl.gpu.model.NodeCards;
import io.baetyl.gpu.model.PodDemand;
import io.baetyl.gpu.model.PodDemand.Part;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The card of a container that the kubelet asks about. Pure.
 *
 * @param shared what is shared
 * @param holds what everybody on the node holds or is to get
 * @param freeIds card → how many units of it the kubelet offers that nobody holds
 */
record CardChoice(SharedCards shared, List<Hold> holds, Map<String, Integer> freeIds) {

  /**
   * What was chosen.
   *
   * @param card the card
   * @param anew what was decided anew for the pod, container → card; empty where the decision
   *     stands
   * @param reason why it was decided anew, in a sentence
   */
  record Chosen(String card, Map<String, String> anew, String reason) {}

  /**
   * Chooses the card: the one that the pod is bound to by units it has already, else the decided
   * one, else one by the placement of the profile.
   *
   * @param bound the card of units that the container has to share a card with
   * @param decision what was decided for the pod
   * @param size how many units the kubelet asks for
   */
  Chosen choose(
      Admission admission, Optional<String> bound, Optional<CardDecision> decision, int size)
      throws AllocationRefusedException {
    var part = admission.part().orElseGet(() -> new Part(List.of(admission.container()), size));
    if (bound.isPresent()) {
      var obstacle = obstacle(admission.pod(), part, bound.get(), size);
      if (obstacle.isPresent()) {
        throw new AllocationRefusedException(
            admission.describe()
                + " has to stay on the card of its pod's other containers, and "
                + obstacle.get());
      }
      return new Chosen(bound.get(), Map.of(), "");
    }
    var decided = decision.map(CardDecision::cards).map(cards -> cards.get(admission.container()));
    if (decided.isEmpty()) {
      return place(admission, part, size, "no card was decided for it");
    }
    var obstacle = obstacle(admission.pod(), part, decided.get(), size);
    return obstacle.isEmpty()
        ? new Chosen(decided.get(), Map.of(), "")
        : place(admission, part, size, obstacle.get());
  }

  /** Why a card cannot take a part of a pod, in a clause; empty where it can. */
  private Optional<String> obstacle(NodePod pod, Part part, String card, int size) {
    var device = shared.device(card);
    if (device.isEmpty()) {
      return Optional.of("card " + card + " is not on this node any more");
    }
    if (!device.get().canBeHandedOut()) {
      return Optional.of("card " + card + " is unhealthy" + reason(device.get()));
    }
    // Promises to others do not count here: what is decided for this pod is as good as theirs.
    var taken = picture(shared.devices(), pod, false);
    int free = Math.min(freeIds.getOrDefault(card, 0), taken.free(taken.indexOf(card)));
    int others =
        holds.stream()
            .filter(hold -> isOf(hold, pod) && hold.card().equals(card))
            .filter(hold -> !part.containers().contains(hold.container()))
            .mapToInt(Hold::units)
            .sum();
    boolean fits = taken.fits(taken.indexOf(card), part.units(), others);
    return fits && freeIds.getOrDefault(card, 0) >= size
        ? Optional.empty()
        : Optional.of(
            "card " + card + " has " + free + " units free where " + part.units() + " are needed");
  }

  private Chosen place(Admission admission, Part part, int size, String reason)
      throws AllocationRefusedException {
    var withRoom =
        shared.devices().stream()
            .filter(device -> freeIds.getOrDefault(device.id(), 0) >= size)
            .toList();
    var cards = picture(withRoom, admission.pod(), true);
    var all = new PodDemand(remainingParts(admission.pod(), part), List.of());
    var alone = new PodDemand(List.of(part), List.of());
    var placed = cards.place(all).or(() -> cards.place(alone));
    if (placed.isEmpty()) {
      throw new AllocationRefusedException(
          admission.describe()
              + " asks for "
              + part.units()
              + " units of "
              + shared.rules().resourceName()
              + ": "
              + reason
              + ", and no other card has them free (the largest free block is "
              + largestFree(admission.pod())
              + ")");
    }
    return new Chosen(placed.get().get(admission.container()), placed.get(), reason);
  }

  private int largestFree(NodePod pod) {
    var cards = picture(shared.devices(), pod, true);
    return shared.devices().stream()
        .map(Device::id)
        .mapToInt(card -> Math.min(cards.free(cards.indexOf(card)), freeIds.getOrDefault(card, 0)))
        .max()
        .orElse(0);
  }

  /** The parts of a pod that have nothing yet, the asking one included. */
  private List<Part> remainingParts(NodePod pod, Part asking) {
    var parts =
        pod.demand().parts().stream()
            .filter(
                part ->
                    holds.stream()
                        .noneMatch(
                            hold ->
                                hold.taken()
                                    && isOf(hold, pod)
                                    && part.containers().contains(hold.container())))
            .toList();
    return parts.contains(asking) ? parts : List.of(asking);
  }

  /** The cards without what this pod is to get, with what it has only where it counts as others. */
  private NodeCards picture(List<Device> devices, NodePod pod, boolean withPromises) {
    return NodeCards.of(
        shared.rules(),
        devices,
        holds.stream()
            .filter(hold -> hold.taken() ? withPromises || !isOf(hold, pod) : withPromises)
            .filter(hold -> hold.taken() || !isOf(hold, pod))
            .map(Hold::holding)
            .toList());
  }

  private static boolean isOf(Hold hold, NodePod pod) {
    return hold.pod().key().equals(pod.key());
  }

  private static String reason(Device device) {
    return device.healthReason() == null ? "" : " (" + device.healthReason() + ")";
  }

  /** How many of these units are on each card. */
  static Map<String, Integer> count(Map<String, ? extends Set<String>> idsByCard) {
    var counts = new HashMap<String, Integer>();
    idsByCard.forEach((card, ids) -> counts.put(card, ids.size()));
    return counts;
  }
}
