package io.baetyl.gpu.deviceplugin.allocation;

import io.baetyl.gpu.api.v1alpha1.CardDecision;
import io.baetyl.gpu.model.ContainerRequest;
import io.baetyl.gpu.model.ContainerRequest.Kind;
import io.baetyl.gpu.model.UnitId;
import java.io.IOException;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
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
  private final KubeletListing kubelet;
  private final Supplier<Optional<SharedCards>> cards;
  private final Corrections corrections;
  private final LongSupplier nanoTime;
  private final WaitingPods waiting;

  private final Object lock = new Object();
  private final Offers offers = new Offers();
  private final AtomicLong unnamed = new AtomicLong();

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
    this.kubelet = kubelet;
    this.cards = cards;
    this.corrections = corrections;
    this.nanoTime = nanoTime;
    this.waiting = new WaitingPods(ledger, pods);
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
    var shared = shared();
    var admission = identify(mustInclude, size);
    CardChoice.Chosen chosen;
    Set<String> ids;
    synchronized (lock) {
      var idsByCard = free(shared, admission, available, mustInclude);
      var holds = Hold.of(ledger.held(), pods.all(), decisions::of);
      chosen =
          new CardChoice(shared, holds, CardChoice.count(idsByCard))
              .choose(admission, boundCard(admission, mustInclude), decided(admission), size);
      ids = pick(idsByCard.get(chosen.card()), mustInclude, admission, size);
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
    var shared = shared();
    var device = Checks.onlyCard(shared, requested);
    var ids = Set.copyOf(requested);
    synchronized (lock) {
      var admission = offers.accept(ids).or(() -> heir(ids)).orElseGet(this::unnamed);
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
    return new Grant(device, (long) ids.size() * shared.rules().unitMiB());
  }

  private SharedCards shared() throws AllocationRefusedException {
    return cards
        .get()
        .orElseThrow(
            () ->
                new AllocationRefusedException(
                    "The cards of this node are not known yet: its GpuNode has no share profile or"
                        + " its metrics agent has not reported"));
  }

  private Admission identify(Set<String> mustInclude, int size) {
    var listed = list();
    for (var id : mustInclude) {
      var holder = ledger.podWith(id);
      if (holder.isPresent()) {
        var pod = holder.get().pod();
        return waiting.findIn(pod, listed, size).orElseGet(() -> new Admission(pod, ""));
      }
    }
    return waiting.find(listed, size).orElseGet(this::unnamed);
  }

  private Optional<List<ListedContainer>> list() {
    try {
      return Optional.of(kubelet.list());
    } catch (IOException unanswered) {
      LOG.warn(
          "The kubelet does not list its pods; the container is told by its size. reason={}",
          unanswered.getMessage());
      return Optional.empty();
    }
  }

  /** Somebody, until the kubelet's list says who. */
  private Admission unnamed() {
    return new Admission(NodePod.unknown("", "unnamed-" + unnamed.incrementAndGet()), "");
  }

  private Optional<CardDecision> decided(Admission admission) {
    return decisions.of(admission.pod());
  }

  private Map<String, Set<String>> free(
      SharedCards shared, Admission admission, Set<String> available, Set<String> mustInclude) {
    var key = admission.pod().key();
    var own =
        ledger
            .find(admission.pod())
            .map(held -> held.idsOf(admission.container()))
            .orElse(Set.of());
    var byCard = new HashMap<String, Set<String>>();
    var offered = new HashSet<>(available);
    offered.addAll(mustInclude);
    for (var id : offered) {
      var unit = UnitId.parse(id);
      var device = unit.flatMap(known -> shared.device(known.card()));
      boolean exists =
          device.isPresent() && unit.get().number() < SharedCards.unitsOf(device.get());
      boolean unheld =
          ledger
              .holderOf(id)
              .map(holder -> holder.equals(key) && (own.contains(id) || mustInclude.contains(id)))
              .orElse(true);
      if (exists && unheld && !offers.toOther(id, admission, nanoTime.getAsLong())) {
        byCard.computeIfAbsent(device.get().id(), card -> new HashSet<>()).add(id);
      }
    }
    return byCard;
  }

  private Optional<String> boundCard(Admission admission, Set<String> mustInclude) {
    for (var id : mustInclude) {
      var unit = UnitId.parse(id);
      if (unit.isPresent()) {
        return Optional.of(unit.get().card());
      }
    }
    return admission
        .part()
        .flatMap(
            part ->
                ledger.find(admission.pod()).flatMap(held -> held.cardOf(part.containers())));
  }

  private Set<String> pick(
      Set<String> free, Set<String> mustInclude, Admission admission, int size) {
    var own =
        ledger
            .find(admission.pod())
            .map(held -> held.idsOf(admission.container()))
            .orElse(Set.of());
    var ids = new LinkedHashSet<>(mustInclude);
    var inOrder =
        new TreeSet<String>(
            Comparator.comparing((String id) -> !own.contains(id))
                .thenComparingInt(id -> UnitId.parse(id).map(UnitId::number).orElse(0)));
    inOrder.addAll(free);
    for (var id : inOrder) {
      if (ids.size() == size) {
        break;
      }
      ids.add(id);
    }
    return Set.copyOf(ids);
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

  /**
   * The container that takes units over from its pod's init containers: for that the kubelet does
   * not ask for a preference.
   */
  private Optional<Admission> heir(Set<String> ids) {
    var holder = ids.stream().flatMap(id -> ledger.podWith(id).stream()).findFirst();
    if (holder.isEmpty() || !holder.get().allIds().containsAll(ids)) {
      return Optional.empty();
    }
    var pod = holder.get().pod();
    var fromInit = new HashSet<String>();
    for (var request : pod.requests()) {
      var has = holder.get().idsOf(request.name());
      if (has.equals(ids)) {
        return Optional.of(new Admission(pod, request.name()));
      }
      if (request.kind() == Kind.INIT) {
        fromInit.addAll(has);
      }
    }
    return fromInit.containsAll(ids)
        ? pod.requests().stream()
            .filter(request -> request.units() == ids.size())
            .filter(request -> holder.get().idsOf(request.name()).isEmpty())
            .map(ContainerRequest::name)
            .map(container -> new Admission(pod, container))
            .findFirst()
        : Optional.empty();
  }
}
