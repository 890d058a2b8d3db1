package io.baetyl.gpu.deviceplugin.sharing;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.deviceplugin.allocation.Admission;
import io.baetyl.gpu.deviceplugin.allocation.Books;
import io.baetyl.gpu.deviceplugin.allocation.Ledger;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import io.baetyl.gpu.deviceplugin.allocation.Unit;
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
final class SharedBooks implements Books<SharedCards> {
  private final Ledger ledger;
  private final Decisions decisions;
  private final Corrections corrections;

  SharedBooks(Ledger ledger, Decisions decisions, Corrections corrections) {
    this.ledger = ledger;
    this.decisions = decisions;
    this.corrections = corrections;
  }

  @Override
  public List<Unit> units(SharedCards shared, Collection<NodePod> pods) {
    return UnitList.of(shared, ledger.held());
  }

  @Override
  public List<Allocation> rows(
      SharedCards shared, Collection<NodePod> pods, List<Allocation> before, Instant now) {
    return AllocationRows.of(ledger.held(), pods, decisions::of, shared.devices(), before, now);
  }

  @Override
  public boolean someExpected(SharedCards shared, Collection<NodePod> pods) {
    return Hold.of(ledger.held(), pods, decisions::of).stream()
        .anyMatch(
            hold ->
                !hold.taken()
                    && hold.pod().life() == NodePod.Life.LIVING
                    && shared.device(hold.card()).isPresent());
  }

  /** Corrects decisions that are not what has happened, and forgets those of pods that are gone. */
  @Override
  public void correct(Collection<NodePod> pods) {
    decisions.retain(pods);
    for (var held : ledger.held()) {
      var pod = held.pod();
      if (pod.decision().isEmpty() || pod.life() != NodePod.Life.LIVING) {
        continue;
      }
      var actual = new HashMap<String, String>();
      for (var request : pod.requests()) {
        Hold.cardOf(held, List.of(request.name()))
            .ifPresent(card -> actual.put(request.name(), card));
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
   */
  @Override
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
