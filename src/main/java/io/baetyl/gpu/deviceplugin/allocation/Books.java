package io.baetyl.gpu.deviceplugin.allocation;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.model.UnitId;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** The ledger and the decisions together, and what can be told from them. */
public final class Books {
  private final Ledger ledger;
  private final Decisions decisions;
  private final Corrections corrections;

  public Books(Ledger ledger, Decisions decisions, Corrections corrections) {
    this.ledger = ledger;
    this.decisions = decisions;
    this.corrections = corrections;
  }

  /** The units that the kubelet is to be told of. */
  public List<Unit> units(SharedCards shared) {
    return UnitList.of(shared, ledger.held());
  }

  /** The status's account of who holds what. */
  public List<Allocation> rows(
      SharedCards shared, Collection<NodePod> pods, List<Allocation> before, Instant now) {
    return AllocationRows.of(ledger.held(), pods, decisions::of, shared.devices(), before, now);
  }

  /** Whether a pod that is on its way out holds units that nobody can be using any more. */
  public boolean someEnded(Collection<NodePod> pods, Predicate<String> alive) {
    return ending(pods).stream().anyMatch(pod -> !alive.test(pod.kubeletUid()));
  }

  /** Whether a pod that is on its way out holds units. */
  public boolean someEnding(Collection<NodePod> pods) {
    return !ending(pods).isEmpty();
  }

  private List<NodePod> ending(Collection<NodePod> pods) {
    var present = new HashMap<String, NodePod>();
    pods.forEach(pod -> present.put(pod.key(), pod));
    return ledger.held().stream()
        .map(HeldPod::pod)
        .filter(
            pod -> {
              var now = present.get(pod.key());
              return now == null || now.life() != NodePod.Life.LIVING;
            })
        .toList();
  }

  /** Whether a pod that was promised a card has not got it yet. */
  public boolean someExpected(SharedCards shared, Collection<NodePod> pods) {
    return Hold.of(ledger.held(), pods, decisions::of).stream()
        .anyMatch(
            hold ->
                !hold.taken()
                    && hold.pod().life() == NodePod.Life.LIVING
                    && shared.device(hold.card()).isPresent());
  }

  /** Corrects decisions that are not what has happened, and forgets those of pods that are gone. */
  public void correct(Collection<NodePod> pods) {
    decisions.retain(pods);
    for (var held : ledger.held()) {
      var pod = held.pod();
      if (pod.decision().isEmpty() || pod.life() != NodePod.Life.LIVING) {
        continue;
      }
      var actual = new HashMap<String, String>();
      for (var request : pod.requests()) {
        held.cardOf(List.of(request.name())).ifPresent(card -> actual.put(request.name(), card));
      }
      if (!pod.decision().get().cards().entrySet().containsAll(actual.entrySet())) {
        corrections.correct(
            pod, decisions.decide(pod, actual), "its containers have other cards than was decided");
      }
    }
  }

  /**
   * Takes over what an earlier process of this plugin has reported and the kubelet does not tell:
   * where pods were put that nobody else decided on, and pods that both API server and kubelet have
   * forgotten while their processes live on.
   *
   * @param reported the rows of the earlier process
   * @param alive whether a pod has processes
   */
  public void takeOver(
      SharedCards shared,
      List<Allocation> reported,
      Collection<NodePod> pods,
      Predicate<String> alive) {
    for (var row : reported) {
      var pod = pods.stream().filter(candidate -> isOf(row, candidate)).findFirst();
      if (pod.isEmpty()) {
        if (alive.test(row.uidOnTheNode())) {
          keepForgotten(shared, row);
        }
      } else if (pod.get().decision().isEmpty() && ledger.find(pod.get()).isEmpty()) {
        decisions.decide(pod.get(), Map.of(row.container(), row.device()));
      }
    }
  }

  /** By its UID on the node too: the mirror of a static pod may be another by now. */
  private static boolean isOf(Allocation row, NodePod pod) {
    var uid = row.uidOnTheNode();
    return pod.namespace().equals(row.namespace())
        && pod.name().equals(row.pod())
        && (pod.uid().equals(uid) || pod.kubeletUid().equals(uid));
  }

  private void keepForgotten(SharedCards shared, Allocation row) {
    var pod = NodePod.gone(row);
    // The kubelet may list it still, if only by its name.
    ledger.identify(pod);
    if (ledger.find(pod).map(held -> held.idsOf(row.container()).isEmpty()).orElse(true)) {
      ledger.take(new Admission(pod, row.container()), anyUnits(shared, row));
    }
  }

  /** Which units they were nobody knows; any others of the card stand for them as well. */
  private Set<String> anyUnits(SharedCards shared, Allocation row) {
    var device = shared.device(row.device());
    var ids = new HashSet<String>();
    for (int number = device.map(SharedCards::unitsOf).orElse(0) - 1;
        number >= 0 && ids.size() < row.units();
        number--) {
      var id = new UnitId(row.device(), number).format();
      if (ledger.holderOf(id).isEmpty()) {
        ids.add(id);
      }
    }
    return ids;
  }
}
