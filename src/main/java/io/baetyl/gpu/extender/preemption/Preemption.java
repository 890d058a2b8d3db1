package io.baetyl.gpu.extender.preemption;

import io.baetyl.gpu.extender.picture.NodeView;
import io.baetyl.gpu.extender.picture.Picture;
import io.baetyl.gpu.extender.pods.PodFacts;
import io.baetyl.gpu.model.PodDemand;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Chooses whom a pod of higher priority pushes out of a node, so that one card has room: the lowest
 * priorities, then whom kube-scheduler proposes, then the fewest pods. kube-scheduler alone counts
 * units of the node, and would end pods on different cards for nothing.
 */
final class Preemption {
  private final Picture picture;

  Preemption(Picture picture) {
    this.picture = picture;
  }

  /**
   * The victims on a node.
   *
   * @param proposed the pods that kube-scheduler would end. Those that hold nothing of the cards
   *     make room for something else and stay victims; so do all of them where a card has room. The
   *     others are preferred among equals: kube-scheduler knows of budgets, we do not
   * @return the uids of all victims; empty where no card can be freed, where pods that leave
   *     already free one, and for a pod that has cards kept for it: it needs nobody's
   */
  Optional<List<String>> victims(PodFacts preemptor, String nodeName, List<String> proposed) {
    var node = picture.node(nodeName);
    if (node == null
        || node.view().unusable() != null
        || picture.reservation(preemptor.uid()) != null) {
      return Optional.empty();
    }
    var view = node.view().leftFor(preemptor);
    var demand = view.demandOf(preemptor);
    if (demand == null || demand.largestPart() > view.largestCard()) {
      return Optional.empty();
    }
    if (view.cards().fits(demand)) {
      return proposed.isEmpty() ? Optional.empty() : Optional.of(proposed);
    }
    var pods = new HashMap<String, PodFacts>();
    node.pods().forEach(pod -> pods.put(pod.uid(), pod));
    var holders = new HashSet<String>();
    var leaving = new HashSet<String>();
    for (var holding : view.holdings()) {
      holders.add(holding.podUid());
      var pod = pods.get(holding.podUid());
      boolean gone =
          pod == null
              && picture.reservation(holding.podUid()) == null
              && picture.pod(holding.podUid()) == null;
      if (gone || (pod != null && pod.ending() && pod.priority() < preemptor.priority())) {
        leaving.add(holding.podUid());
      }
    }
    var others = proposed.stream().filter(uid -> !holders.contains(uid)).toList();
    if (fits(view, demand, leaving)) {
      // kube-scheduler takes no node without a victim: where the room is on its way, it has to
      // wait.
      return others.isEmpty() ? Optional.empty() : Optional.of(others);
    }
    return cheapest(view, demand, preemptor, pods, leaving, Set.copyOf(proposed))
        .map(
            chosen -> {
              var victims = new ArrayList<>(others);
              chosen.forEach(pod -> victims.add(pod.uid()));
              return victims;
            });
  }

  private static Optional<List<PodFacts>> cheapest(
      NodeView view,
      PodDemand demand,
      PodFacts preemptor,
      Map<String, PodFacts> pods,
      Set<String> leaving,
      Set<String> proposed) {
    Optional<List<PodFacts>> cheapest = Optional.empty();
    var cost = cost(proposed);
    for (int card = 0; card < view.cards().size(); card++) {
      var onCard = lowerOn(view, view.cards().id(card), preemptor, pods, leaving, proposed);
      var chosen = fewest(view, demand, onCard, leaving);
      if (chosen.isPresent()
          && (cheapest.isEmpty() || cost.compare(chosen.get(), cheapest.get()) < 0)) {
        cheapest = chosen;
      }
    }
    return cheapest;
  }

  private static Comparator<List<PodFacts>> cost(Set<String> proposed) {
    return Comparator.<List<PodFacts>>comparingInt(
            victims -> victims.stream().mapToInt(PodFacts::priority).max().orElseThrow())
        .thenComparingLong(
            victims -> victims.stream().filter(pod -> !proposed.contains(pod.uid())).count())
        .thenComparingInt(List::size)
        .thenComparingLong(victims -> victims.stream().mapToLong(PodFacts::priority).sum());
  }

  /** The pods on a card that may be ended, those to be spared first in front. */
  private static List<PodFacts> lowerOn(
      NodeView view,
      String card,
      PodFacts preemptor,
      Map<String, PodFacts> pods,
      Set<String> leaving,
      Set<String> proposed) {
    var units = new HashMap<String, Integer>();
    for (var holding : view.holdings()) {
      if (holding.card().equals(card)) {
        units.merge(holding.podUid(), holding.units(), Integer::sum);
      }
    }
    return units.keySet().stream()
        .filter(uid -> !leaving.contains(uid))
        .map(pods::get)
        .filter(pod -> pod != null && pod.priority() < preemptor.priority())
        .sorted(
            Comparator.comparingInt(PodFacts::priority)
                .reversed()
                .thenComparing(pod -> proposed.contains(pod.uid()))
                .thenComparing(pod -> units.get(pod.uid()))
                .thenComparing(PodFacts::created))
        .toList();
  }

  /** Of these pods, those that have to go; the others are spared one by one as far as it goes. */
  private static Optional<List<PodFacts>> fewest(
      NodeView view, PodDemand demand, List<PodFacts> candidates, Set<String> leaving) {
    var going = new HashSet<>(leaving);
    candidates.forEach(pod -> going.add(pod.uid()));
    if (!fits(view, demand, going)) {
      return Optional.empty();
    }
    var victims = new ArrayList<PodFacts>();
    for (var pod : candidates) {
      going.remove(pod.uid());
      if (!fits(view, demand, going)) {
        going.add(pod.uid());
        victims.add(pod);
      }
    }
    return Optional.of(victims);
  }

  private static boolean fits(NodeView view, PodDemand demand, Set<String> going) {
    return view.keeping(holding -> !going.contains(holding.podUid())).cards().fits(demand);
  }
}
