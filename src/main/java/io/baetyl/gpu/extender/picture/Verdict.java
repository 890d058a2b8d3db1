package io.baetyl.gpu.extender.picture;

import io.baetyl.gpu.model.PodDemand;

/**
 * Whether a node can take a pod. The text of a refusal goes word by word into the pod's event,
 * where equal ones are counted together: so it names figures of the whole call, never of one node.
 */
public enum Verdict {
  FITS(false),
  /** The node says why itself. */
  UNUSABLE(true),
  /** An earlier call is binding the pod to another node, and may yet succeed. */
  BOUND_ELSEWHERE(true),
  /** It shares another resource. */
  OTHER_RESOURCE(true),
  /** Not even an empty card would do. */
  LARGER_THAN_CARDS(true),
  /** The request has a card alone, and none is empty. */
  NO_EMPTY_CARD(false),
  /** Each container would fit, but not all of them. */
  NOT_ALL_PARTS(false),
  /** No card has enough left. */
  NO_ROOM(false);

  private final boolean lasting;

  Verdict(boolean lasting) {
    this.lasting = lasting;
  }

  /** Whether no pod that goes away could change it, so that preemption is no use. */
  public boolean lasting() {
    return lasting;
  }

  /**
   * The refusal in a sentence.
   *
   * @param best the most that any node refused for this reason offers on a card
   */
  public String text(String resource, PodDemand demand, int best) {
    int units = demand == null ? 0 : demand.largestPart();
    return switch (this) {
      case FITS, UNUSABLE -> "";
      case BOUND_ELSEWHERE -> "an earlier call is still binding the pod to another node";
      case OTHER_RESOURCE -> "the node shares its cards by another resource than the pod asks for";
      case LARGER_THAN_CARDS ->
          "no card has %d units of %s (largest card: %d)".formatted(units, resource, best);
      case NO_EMPTY_CARD ->
          "no card is empty for %d units of %s, which take a card alone (largest free: %d)"
              .formatted(units, resource, best);
      case NOT_ALL_PARTS ->
          "no cards have room for all containers of the pod, %d units of %s in all (largest free: %d)"
              .formatted(demand.units(), resource, best);
      case NO_ROOM ->
          "no single card has %d units of %s free (largest free: %d)"
              .formatted(units, resource, best);
    };
  }
}
