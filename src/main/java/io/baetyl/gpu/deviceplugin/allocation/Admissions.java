package io.baetyl.gpu.deviceplugin.allocation;

import io.baetyl.gpu.model.ContainerRequest;
import io.baetyl.gpu.model.ContainerRequest.Kind;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whom the kubelet's calls are for, which do not say so. */
public final class Admissions {
  private static final Logger LOG = LoggerFactory.getLogger(Admissions.class);

  private final Ledger ledger;
  private final KubeletListing kubelet;
  private final WaitingPods waiting;
  private final AtomicLong unnamed = new AtomicLong();

  public Admissions(Ledger ledger, NodePods pods, KubeletListing kubelet) {
    this.ledger = ledger;
    this.kubelet = kubelet;
    this.waiting = new WaitingPods(ledger, pods);
  }

  /**
   * The container that the kubelet asks a preference for.
   *
   * @param mustInclude what it takes over from its pod's init containers
   * @param size how many units it asks for
   */
  public Admission preferring(Set<String> mustInclude, int size) {
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

  /**
   * The container that gets units which were preferred for nobody: one that takes them over from
   * its pod's init containers, for which the kubelet does not ask for a preference, else somebody.
   */
  public Admission allocating(Set<String> ids) {
    return heir(ids).orElseGet(this::unnamed);
  }

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
