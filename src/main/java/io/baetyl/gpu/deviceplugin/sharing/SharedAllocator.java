package io.baetyl.gpu.deviceplugin.sharing;

import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.deviceplugin.allocation.Admission;
import io.baetyl.gpu.deviceplugin.allocation.Admissions;
import io.baetyl.gpu.deviceplugin.allocation.AllocationRefusedException;
import io.baetyl.gpu.deviceplugin.allocation.AllocationStrategy;
import io.baetyl.gpu.deviceplugin.allocation.Allocator;
import io.baetyl.gpu.deviceplugin.allocation.EndedPods;
import io.baetyl.gpu.deviceplugin.allocation.Grant;
import io.baetyl.gpu.deviceplugin.allocation.Ledger;
import io.baetyl.gpu.deviceplugin.allocation.NodePods;
import io.baetyl.gpu.deviceplugin.allocation.Offers;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands units of shared cards out: each container has them of the one card decided for it. */
final class SharedAllocator implements Allocator {
  private static final Logger LOG = LoggerFactory.getLogger(SharedAllocator.class);
  private static final String UUID = "BAETYL_GPU_UUID";
  private static final String MEMORY_MIB = "BAETYL_GPU_MEMORY_MIB";

  /** Together half a second, in which the kubelet admits no other pod. */
  private static final int MOST_TRIES = 10;

  private static final Duration PAUSE = Duration.ofMillis(50);

  private final Ledger ledger;
  private final Decisions decisions;
  private final NodePods pods;
  private final Supplier<Optional<SharedCards>> cards;
  private final Corrections corrections;
  private final LongSupplier nanoTime;
  private final Admissions admissions;
  private final EndedPods ended;

  private final Object lock = new Object();
  private final Offers offers = new Offers();

  SharedAllocator(
      AllocationStrategy.Dependencies dependencies,
      Decisions decisions,
      Supplier<Optional<SharedCards>> cards,
      Corrections corrections,
      LongSupplier nanoTime) {
    this.ledger = dependencies.ledger();
    this.decisions = decisions;
    this.pods = dependencies.pods();
    this.cards = cards;
    this.corrections = corrections;
    this.nanoTime = nanoTime;
    this.admissions = new Admissions(ledger, pods, dependencies.kubelet());
    this.ended = new EndedPods(dependencies);
  }

  /** As many as the container asks for, all of one card. */
  @Override
  public Set<String> prefer(Set<String> available, Set<String> mustInclude, int size)
      throws AllocationRefusedException {
    if (size <= 0) {
      // The kubelet counts in an int, where an absurd amount becomes any number.
      throw new AllocationRefusedException(
          "The kubelet asks for " + size + " units: a container asks for more than there can be");
    }
    var admission = admissions.preferring(mustInclude, size);
    ended.release();
    for (int tries = 1; ; tries++) {
      try {
        return choose(admission, available, mustInclude, size);
      } catch (AllocationRefusedException full) {
        // Who decided has seen room, perhaps of a pod that is over a moment before it is so here.
        if (admission.pod().decision().isEmpty() || tries == MOST_TRIES) {
          throw full;
        }
        ended.releaseAfter(PAUSE);
      }
    }
  }

  private Set<String> choose(
      Admission admission, Set<String> available, Set<String> mustInclude, int size)
      throws AllocationRefusedException {
    var shared = shared();
    CardChoice.Chosen chosen;
    Set<String> ids;
    synchronized (lock) {
      var units = new UnitChoice(shared, ledger, admission, mustInclude);
      var idsByCard =
          units.free(available, id -> !offers.toOther(id, admission, nanoTime.getAsLong()));
      var holds = Hold.of(ledger.held(), pods.all(), decisions::of);
      chosen =
          new CardChoice(shared, holds, CardChoice.count(idsByCard))
              .choose(admission, units.boundCard(), decisions.of(admission.pod()), size);
      ids = units.pick(idsByCard.get(chosen.card()), size);
      offers.make(admission, ids, nanoTime.getAsLong());
      if (!chosen.anew().isEmpty()) {
        decisions.decide(admission.pod(), chosen.anew());
      }
    }
    report(admission, chosen);
    LOG.info(
        "Units chosen. pod={} container={} units={} device={}",
        admission.pod().qualifiedName(),
        admission.container(),
        size,
        chosen.card());
    return ids;
  }

  @Override
  public Grant allocate(Collection<String> requested) throws AllocationRefusedException {
    var ids = Set.copyOf(requested);
    // What is being handed out must be in the ledger before anybody finds that empty, since other
    // units may come in force then.
    synchronized (cards) {
      var shared = shared();
      var device = Checks.onlyCard(shared, ids);
      take(shared, device, ids);
      long memoryMiB = (long) ids.size() * shared.rules().unitMiB();
      return new Grant(
          List.of(device), Map.of(UUID, device.id(), MEMORY_MIB, Long.toString(memoryMiB)));
    }
  }

  private void take(SharedCards shared, Device device, Set<String> ids)
      throws AllocationRefusedException {
    synchronized (lock) {
      var admission = offers.accept(ids).orElseGet(() -> admissions.allocating(ids));
      admission.refuseMoreThanAsked(ids.size());
      Checks.refuseBesideOthers(shared, device, admission, ids.size(), ledger.held());
      if (!ledger.take(admission, ids)) {
        throw new AllocationRefusedException(
            "The kubelet wants to hand out units of card "
                + device.id()
                + " that another pod still holds; delete the pod and it will be placed again");
      }
      LOG.info(
          "Units handed out. pod={} container={} units={} device={}",
          admission.pod().qualifiedName(),
          admission.container(),
          ids.size(),
          device.id());
    }
  }

  private SharedCards shared() throws AllocationRefusedException {
    return cards
        .get()
        .orElseThrow(
            () ->
                new AllocationRefusedException(
                    "The cards of this node are not known yet: its GpuNode does not say by which rules they are shared"));
  }

  private void report(Admission admission, CardChoice.Chosen chosen) {
    var pod = admission.pod();
    if (chosen.anew().isEmpty()) {
      return;
    }
    if (pod.decision().isPresent()) {
      decisions.of(pod).ifPresent(decision -> corrections.correct(pod, decision, chosen.reason()));
    } else {
      LOG.info(
          "No card was decided for a container; placed here. pod={} container={} device={}",
          pod.qualifiedName(),
          admission.container(),
          chosen.card());
    }
  }
}
