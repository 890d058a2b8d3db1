package io.baetyl.gpu.extender.picture;

import io.baetyl.gpu.api.v1alpha1.CardDecision;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.extender.pods.PodFacts;
import io.baetyl.gpu.model.Holding;
import io.baetyl.gpu.model.NodeCards;
import io.baetyl.gpu.model.PodDemand;
import io.baetyl.gpu.model.ShareRules;
import java.util.List;
import java.util.Optional;
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
 * @param awaited the pods that kube-scheduler makes room for here; not counted in {@code cards}
 */
public record NodeView(
    String unusable,
    ShareRules rules,
    List<Device> devices,
    List<Holding> holdings,
    NodeCards cards,
    int largestCard,
    List<Awaited> awaited) {

  /** The view of a node that has no GpuNode. */
  public static final NodeView NO_GPU_NODE = unusable(NodeFacts.NO_GPU_NODE.unusable());

  /**
   * A pod that is to come.
   *
   * @param held what it would hold by now if those that leave had left
   */
  record Awaited(PodFacts pod, List<Holding> held) {}

  static NodeView unusable(String why) {
    return new NodeView(why, null, List.of(), List.of(), NodeCards.NONE, 0, List.of());
  }

  static NodeView of(ShareRules rules, List<Device> devices, List<Holding> holdings) {
    var cards = NodeCards.of(rules, devices, holdings);
    int largest = 0;
    for (int card = 0; card < cards.size(); card++) {
      largest = Math.max(largest, cards.healthy(card) ? cards.units(card) : 0);
    }
    return new NodeView(null, rules, devices, holdings, cards, largest, List.of());
  }

  /** The node as it would be if only these holdings were there. */
  public NodeView keeping(Predicate<Holding> kept) {
    return holding(holdings.stream().filter(kept).toList());
  }

  /** The node as it would be with these holdings on top. */
  NodeView adding(List<Holding> more) {
    return holding(Stream.concat(holdings.stream(), more.stream()).toList());
  }

  private NodeView holding(List<Holding> others) {
    var counted = NodeCards.of(rules, devices, others);
    return new NodeView(unusable, rules, devices, others, counted, largestCard, awaited);
  }

  /** The node as it would be with a pod on it; empty where that does not fit. */
  public Optional<NodeView> with(PodFacts pod) {
    return place(pod)
        .map(
            held -> {
              var others = awaited.stream().filter(it -> !it.pod().uid().equals(pod.uid()));
              return adding(held).awaiting(others.toList());
            });
  }

  /** What a pod would hold here; empty where it does not fit. */
  Optional<List<Holding>> place(PodFacts pod) {
    var demand = demandOf(pod);
    return judge(demand) != Verdict.FITS
        ? Optional.empty()
        : cards
            .place(demand)
            .map(placed -> new CardDecision(pod.uid(), placed))
            .map(decision -> PodFacts.held(pod.uid(), demand, Optional.of(decision)));
  }

  NodeView awaiting(List<Awaited> pods) {
    return new NodeView(unusable, rules, devices, holdings, cards, largestCard, pods);
  }

  /** What the node has for a pod, when those that are ahead of it have come. */
  public NodeView leftFor(PodFacts pod) {
    // Most nodes await nobody, and are asked about by the thousand.
    if (awaited.isEmpty()) {
      return this;
    }
    var ahead =
        awaited.stream()
            .filter(it -> it.pod().isAheadOf(pod))
            .flatMap(it -> it.held().stream())
            .toList();
    return ahead.isEmpty() ? this : adding(ahead);
  }

  /** What a pod asks for of the resource that is shared here; null where it is not. */
  public PodDemand demandOf(PodFacts pod) {
    return rules == null ? null : pod.demands().get(rules.resourceName());
  }

  /** Whether a pod with these demands could be placed here, and if not, why. */
  public Verdict judge(PodDemand demand) {
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
  public int best(Verdict verdict) {
    return verdict == Verdict.LARGER_THAN_CARDS ? largestCard : cards.largestFree();
  }
}
