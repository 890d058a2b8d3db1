package io.baetyl.gpu.extender;

import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.model.Holding;
import io.baetyl.gpu.model.NodeCards;
import io.baetyl.gpu.model.PodDemand;
import io.baetyl.gpu.model.ShareRules;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A node at one moment, immutable: filter reads thousands of these without a lock.
 *
 * @param unusable why no pod can be sent there, in a sentence; null where one can
 * @param rules by which the node shares; null where it does not
 * @param devices the cards that {@code cards} was made from
 * @param holdings the holdings that {@code cards} was made from
 * @param largestCard the units of the largest card that can be handed out
 */
record NodeView(
    String unusable,
    ShareRules rules,
    List<Device> devices,
    List<Holding> holdings,
    NodeCards cards,
    int largestCard) {

  static NodeView unusable(String why) {
    return new NodeView(why, null, List.of(), List.of(), NodeCards.NONE, 0);
  }

  static NodeView of(ShareRules rules, List<Device> devices, List<Holding> holdings) {
    var cards = NodeCards.of(rules, devices, holdings);
    int largest = 0;
    for (int card = 0; card < cards.size(); card++) {
      largest = Math.max(largest, cards.healthy(card) ? cards.units(card) : 0);
    }
    return new NodeView(null, rules, devices, holdings, cards, largest);
  }

  /** The node as it would be if only these holdings were there. */
  NodeView keeping(Predicate<Holding> kept) {
    return of(rules, devices, holdings.stream().filter(kept).toList());
  }

  /** The node as it would be with these holdings on top. */
  NodeView adding(List<Holding> more) {
    return of(rules, devices, Stream.concat(holdings.stream(), more.stream()).toList());
  }

  /** What a pod asks for of the resource that is shared here; null where it is not. */
  PodDemand demandOf(PodFacts pod) {
    return rules == null ? null : pod.demands().get(rules.resourceName());
  }

  /** Whether a pod with these demands could be placed here, and if not, why. */
  Verdict judge(PodDemand demand) {
    if (unusable != null) {
      return Verdict.UNUSABLE;
    }
    if (demand == null) {
      return Verdict.OTHER_RESOURCE;
    }
    if (cards.fits(demand)) {
      return Verdict.FITS;
    }
    int units = demand.largestPart();
    if (units > largestCard) {
      return Verdict.LARGER_THAN_CARDS;
    }
    if (cards.fits(units)) {
      return Verdict.NOT_ALL_PARTS;
    }
    return cards.largestFree() >= units ? Verdict.NO_EMPTY_CARD : Verdict.NO_ROOM;
  }

  /** What the node offers, to be named beside a refusal. */
  int best(Verdict verdict) {
    return verdict == Verdict.LARGER_THAN_CARDS ? largestCard : cards.largestFree();
  }
}
