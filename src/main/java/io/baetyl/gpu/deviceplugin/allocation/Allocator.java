package io.baetyl.gpu.deviceplugin.allocation;

import io.baetyl.gpu.api.v1alpha1.Device;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the kubelet's two questions: which units a container should get, and what it needs to use
 * them. Thread-safe: the kubelet admits pods one by one, but allocates again at a container's start
 * beside that.
 */
public final class Allocator {
  private static final Logger LOG = LoggerFactory.getLogger(Allocator.class);

  private final Ledger ledger;
  private final Decisions decisions;
  private final NodePods pods;
  private final Supplier<Optional<SharedCards>> cards;
  private final Corrections corrections;
  private final LongSupplier nanoTime;
  private final Admissions admissions;

  private final Object lock = new Object();
  private final Offers offers = new Offers();

  public Allocator(
      Ledger ledger,
      Decisions decisions,
      NodePods pods,
      KubeletListing kubelet,
      Supplier<Optional<SharedCards>> cards,
      Corrections corrections,
      LongSupplier nanoTime) {
    this.ledger = ledger;
    this.decisions = decisions;
    this.pods = pods;
    this.cards = cards;
    this.corrections = corrections;
    this.nanoTime = nanoTime;
    this.admissions = new Admissions(ledger, pods, kubelet);
  }

  /**
   * The units that a container should get: exactly as many as it asks for, all of one card, since
   * the kubelet fills up from any card otherwise.
   *
   * @param available what the kubelet has to give
   * @param mustInclude what it takes over from the pod's init containers, part of the answer
   * @param size how many units the container asks for
   * @throws AllocationRefusedException if no card can serve the container
   */
  public Set<String> prefer(Set<String> available, Set<String> mustInclude, int size)
      throws AllocationRefusedException {
    if (size <= 0) {
      // The kubelet counts in an int, where an absurd amount becomes any number.
      throw new AllocationRefusedException(
          "The kubelet asks for " + size + " units: a container asks for more than there can be");
    }
    var shared = shared();
    var admission = admissions.preferring(mustInclude, size);
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

  /**
   * Hands units out to a container. Looks at nothing but memory, since the kubelet's own account of
   * units is vulnerable for as long as this takes.
   *
   * @throws AllocationRefusedException if the container must not have them
   */
  public Grant allocate(Collection<String> requested) throws AllocationRefusedException {
    var ids = Set.copyOf(requested);
    // What is being handed out must be in the ledger before anybody finds that empty, since other
    // units may come in force then.
    synchronized (cards) {
      var shared = shared();
      var device = Checks.onlyCard(shared, ids);
      take(shared, device, ids);
      return new Grant(device, (long) ids.size() * shared.rules().unitMiB());
    }
  }

  private void take(SharedCards shared, Device device, Set<String> ids)
      throws AllocationRefusedException {
    synchronized (lock) {
      var admission = offers.accept(ids).orElseGet(() -> admissions.allocating(ids));
      Checks.refuseTooMany(admission, ids.size());
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
                    "The cards of this node are not known yet: its GpuNode does not say"
                        + " by which rules they are shared"));
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
