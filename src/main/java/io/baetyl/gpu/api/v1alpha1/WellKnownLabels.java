package io.baetyl.gpu.api.v1alpha1;

/** Labels and label values that the parts of the product, and its users, agree on. */
public final class WellKnownLabels {
  /** On a Node, written by the operator: the accelerator type in force. */
  public static final String ACCELERATOR = "gpu.baetyl.io/accelerator";

  /** On a Node, written by the operator: the allocation mode in force, in lower case. */
  public static final String ALLOCATION = "gpu.baetyl.io/allocation";

  /** On a Node, written by Baetyl or a person, only read here: the accelerator type. */
  public static final String BAETYL_ACCELERATOR = "baetyl-accelerator";

  /** On the metrics pods, for Baetyl's collector. */
  public static final String BAETYL_SERVICE_NAME = "baetyl-service-name";

  /** On every object that the operator makes, with the value {@link #OPERATOR}. */
  public static final String MANAGED_BY = "app.kubernetes.io/managed-by";

  /** On every object of the product: which part it is. */
  public static final String NAME = "app.kubernetes.io/name";

  /** The operator's name as manager, field manager and event source. */
  public static final String OPERATOR = "baetyl-gpu-operator";

  private WellKnownLabels() {}
}
