package io.baetyl.gpu.api.v1alpha1;

/**
 * Annotations on pods. An admission policy lets only the extender and the node's own agents write
 * them.
 */
public final class WellKnownAnnotations {
  /**
   * The cards that were decided for a pod, as {@link CardDecision}; written with the pod's binding.
   */
  public static final String CARDS = "gpu.baetyl.io/cards";

  /**
   * Changed by the extender on a pod that it refused, so that kube-scheduler tries the pod again.
   */
  public static final String RETRY = "gpu.baetyl.io/retry";

  private WellKnownAnnotations() {}
}
