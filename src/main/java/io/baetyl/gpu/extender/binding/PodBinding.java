package io.baetyl.gpu.extender.binding;

import io.baetyl.gpu.api.v1alpha1.CardDecision;
import io.baetyl.gpu.extender.apiserver.PodApi;
import io.baetyl.gpu.extender.counting.Counters;
import io.baetyl.gpu.extender.counting.Counters.Counter;
import io.baetyl.gpu.extender.picture.Node;
import io.baetyl.gpu.extender.picture.NodeView;
import io.baetyl.gpu.extender.picture.Picture;
import io.baetyl.gpu.extender.picture.Reservation;
import io.baetyl.gpu.extender.picture.Verdict;
import io.baetyl.gpu.extender.pods.PodFacts;
import io.baetyl.gpu.extender.pods.PodName;
import io.baetyl.gpu.extender.wire.Verb;
import io.baetyl.gpu.model.PodDemand;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Binds a pod: decides its cards anew, keeps them for it, and has node and cards written at once.
 * Only the deciding is under the node's lock, never the writing.
 */
public final class PodBinding {
  private final Picture picture;
  private final PodApi api;
  private final BindingWrite write;
  private final Clock clock;
  private final Counters counters;

  public PodBinding(
      Picture picture, PodApi api, BindingWrite write, Clock clock, Counters counters) {
    this.picture = picture;
    this.api = api;
    this.write = write;
    this.clock = clock;
    this.counters = counters;
  }

  /**
   * Binds a pod to a node; for one that is bound there already this does nothing.
   *
   * @return empty when it is bound, else why not, in a sentence for the pod's event
   */
  public Optional<String> bind(PodName pod, String nodeName) {
    var deadline = clock.instant().plus(Verb.LONGEST_CALL);
    var facts = picture.pod(pod.uid());
    if (facts == null) {
      switch (api.look(pod, Verb.LONGEST_CALL)) {
        case PodApi.Look.Found(PodFacts found) -> facts = found;
        case PodApi.Look.Gone() -> {
          return Optional.of("the pod is gone");
        }
        case PodApi.Look.Unclear(String message) -> {
          return Optional.of("the pod cannot be read: " + message);
        }
      }
    }
    if (facts.node() != null) {
      return alreadyBound(facts, nodeName);
    }
    return facts.demands().isEmpty()
        ? bindWithoutCards(facts.pod(), nodeName, deadline)
        : bindToCards(facts, nodeName, deadline);
  }

  private static Optional<String> alreadyBound(PodFacts pod, String nodeName) {
    return pod.node().equals(nodeName)
        ? Optional.empty()
        : Optional.of("the pod is bound to the node " + pod.node() + " already");
  }

  private Optional<String> bindToCards(PodFacts pod, String nodeName, Instant deadline) {
    var node = picture.node(nodeName);
    if (node == null) {
      return Optional.of(NodeView.NO_GPU_NODE.unusable());
    }
    Reservation reservation;
    synchronized (node) {
      var shown = picture.pod(pod.uid());
      if (shown != null && shown.node() != null) {
        return alreadyBound(shown, nodeName);
      }
      reservation = picture.reservation(pod.uid());
      if (reservation == null) {
        var view = node.view().leftFor(pod);
        var demand = view.demandOf(pod);
        var verdict = view.judge(demand);
        if (verdict != Verdict.FITS) {
          counters.count(Counter.LOST_RACES);
          return Optional.of(refusal(view, verdict, demand));
        }
        var cards = view.cards().place(demand).orElseThrow();
        reservation = picture.reserve(reservation(pod.pod(), node, demand, cards));
      }
    }
    return reservation.node() == node
        ? write.write(reservation, deadline)
        : Optional.of(
            "the pod is being bound to the node " + reservation.node() + " by an earlier call");
  }

  private Reservation reservation(
      PodName pod, Node node, PodDemand demand, Map<String, String> cards) {
    var decision = new CardDecision(pod.uid(), cards);
    var held = PodFacts.held(pod.uid(), demand, Optional.of(decision));
    return new Reservation(pod, node, decision, held, clock.instant());
  }

  private static String refusal(NodeView view, Verdict verdict, PodDemand demand) {
    return verdict == Verdict.UNUSABLE
        ? view.unusable()
        : verdict.text(view.rules().resourceName(), demand, view.best(verdict));
  }

  private Optional<String> bindWithoutCards(PodName pod, String nodeName, Instant deadline) {
    var left = Duration.between(clock.instant(), deadline);
    return switch (api.bind(pod, nodeName, new CardDecision(pod.uid(), Map.of()), left)) {
      case PodApi.Outcome.Done() -> Optional.empty();
      case PodApi.Outcome.Gone() -> Optional.of("the pod is gone");
      case PodApi.Outcome.Conflict(String message) -> Optional.of(message);
      case PodApi.Outcome.Refused(String message) -> Optional.of(message);
      case PodApi.Outcome.Unclear(String message) -> Optional.of(message);
    };
  }
}
