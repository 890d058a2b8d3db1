package io.baetyl.gpu.model;

import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.Occupancy;
import io.baetyl.gpu.api.v1alpha1.Placement;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An immutable picture of the shared cards of one node. In arrays, since the extender asks
 * thousands of them about every pod: {@link #fits} allocates nothing.
 */
public final class NodeCards {
  /** The cards of a node that shares nothing. */
  public static final NodeCards NONE = new NodeCards(0, Placement.BINPACK);

  /** The highest score that kube-scheduler takes from an extender. */
  public static final int BEST_SCORE = 10;

  private final String[] ids;
  private final int[] units;
  private final int[] exclusiveFrom;
  private final int[] allocated;
  private final boolean[] exclusive;
  private final boolean[] healthy;
  private final Placement placement;

  private NodeCards(int cards, Placement placement) {
    this.ids = new String[cards];
    this.units = new int[cards];
    this.exclusiveFrom = new int[cards];
    this.allocated = new int[cards];
    this.exclusive = new boolean[cards];
    this.healthy = new boolean[cards];
    this.placement = placement;
  }

  /**
   * The picture of a node.
   *
   * @param rules by which its cards are shared
   * @param devices its cards; one without units is taken to have none
   * @param holdings what pods hold; a holding of a card that is not there is left out
   */
  public static NodeCards of(ShareRules rules, List<Device> devices, Collection<Holding> holdings) {
    var cards = new NodeCards(devices.size(), rules.placement());
    for (int card = 0; card < devices.size(); card++) {
      var device = devices.get(card);
      cards.ids[card] = device.id();
      cards.units[card] = device.units() == null ? 0 : device.units();
      cards.exclusiveFrom[card] = rules.exclusiveFrom(cards.units[card]);
      cards.healthy[card] = device.canBeHandedOut();
    }
    var ofPods = new HashMap<String, int[]>();
    for (var holding : holdings) {
      int card = cards.indexOf(holding.card());
      if (card >= 0) {
        var ofPod = ofPods.computeIfAbsent(holding.podUid(), pod -> new int[devices.size()]);
        ofPod[card] = PodDemand.plus(ofPod[card], holding.units());
      }
    }
    ofPods.values().forEach(cards::hold);
    return cards;
  }

  private void hold(int[] unitsOfPod) {
    for (int card = 0; card < ids.length; card++) {
      allocated[card] = PodDemand.plus(allocated[card], unitsOfPod[card]);
      exclusive[card] |= unitsOfPod[card] > 0 && unitsOfPod[card] >= exclusiveFrom[card];
    }
  }

  public int size() {
    return ids.length;
  }

  public String id(int card) {
    return ids[card];
  }

  /** The number of a card by its id, or -1. */
  public int indexOf(String id) {
    for (int card = 0; card < ids.length; card++) {
      if (ids[card].equals(id)) {
        return card;
      }
    }
    return -1;
  }

  public int units(int card) {
    return units[card];
  }

  public int allocated(int card) {
    return allocated[card];
  }

  public boolean healthy(int card) {
    return healthy[card];
  }

  /**
   * What a newcomer can get of a card: nothing of one that is unhealthy or that a pod has alone.
   */
  public int free(int card) {
    return healthy[card] && !exclusive[card] ? Math.max(0, units[card] - allocated[card]) : 0;
  }

  public Occupancy occupancy(int card) {
    if (exclusive[card]) {
      return Occupancy.EXCLUSIVE;
    }
    return allocated[card] == 0 ? Occupancy.FREE : Occupancy.SHARED;
  }

  /** The most that a newcomer can get on one card. */
  public int largestFree() {
    int largest = 0;
    for (int card = 0; card < ids.length; card++) {
      largest = Math.max(largest, free(card));
    }
    return largest;
  }

  /**
   * Whether a card can take this many units of a pod.
   *
   * @param own what the pod is to have on the card already, not yet counted in this picture
   */
  public boolean fits(int card, int newUnits, int own) {
    int wanted = PodDemand.plus(newUnits, own);
    return wanted < exclusiveFrom[card]
        ? free(card) >= wanted
        : healthy[card] && allocated[card] == 0 && units[card] >= wanted;
  }

  /** Whether some card can take a pod that is one part of this many units. */
  public boolean fits(int wanted) {
    for (int card = 0; card < ids.length; card++) {
      if (fits(card, wanted, 0)) {
        return true;
      }
    }
    return false;
  }

  /** Whether all parts of a pod can be placed. */
  public boolean fits(PodDemand demand) {
    return demand.parts().size() == 1
        ? fits(demand.parts().getFirst().units())
        : place(demand).isPresent();
  }

  /**
   * The card of each container of a pod, by the placement of the profile; the largest part chooses
   * first.
   *
   * @return container name → device id; empty where a part fits no card
   */
  public Optional<Map<String, String>> place(PodDemand demand) {
    var placed = place(demand, placement);
    // Spreading the parts may strand the last of them, where packing has room for all.
    return placed.isPresent() || placement == Placement.BINPACK
        ? placed
        : place(demand, Placement.BINPACK);
  }

  private Optional<Map<String, String>> place(PodDemand demand, Placement preferred) {
    var own = new int[ids.length];
    var cardOf = new HashMap<String, String>();
    var largestFirst =
        demand.parts().stream()
            .sorted((one, other) -> Integer.compare(other.units(), one.units()))
            .toList();
    for (var part : largestFirst) {
      int card = choose(part.units(), own, preferred);
      if (card < 0) {
        return Optional.empty();
      }
      own[card] += part.units();
      part.containers().forEach(container -> cardOf.put(container, ids[card]));
    }
    return Optional.of(cardOf);
  }

  /**
   * How well the node suits a pod by the placement of its profile, judged by the card that its
   * largest part would take.
   *
   * @return 0 to {@value #BEST_SCORE}; 0 where it fits no card
   */
  public int score(PodDemand demand) {
    int wanted = demand.largestPart();
    int card = choose(wanted, null, placement);
    if (card < 0 || units[card] == 0) {
      return 0;
    }
    int left = Math.toIntExact((long) BEST_SCORE * (free(card) - wanted) / units[card]);
    return switch (placement) {
      case BINPACK -> BEST_SCORE - left;
      case SPREAD -> left;
    };
  }

  private int choose(int wanted, int[] own, Placement preferred) {
    int chosen = -1;
    int left = 0;
    for (int card = 0; card < ids.length; card++) {
      int ownUnits = own == null ? 0 : own[card];
      if (!fits(card, wanted, ownUnits)) {
        continue;
      }
      int leftHere = free(card) - ownUnits - wanted;
      if (chosen < 0 || better(leftHere, left, preferred)) {
        chosen = card;
        left = leftHere;
      }
    }
    return chosen;
  }

  private static boolean better(int left, int leftSoFar, Placement preferred) {
    return switch (preferred) {
      case BINPACK -> left < leftSoFar;
      case SPREAD -> left > leftSoFar;
    };
  }
}
