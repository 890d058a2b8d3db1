package io.baetyl.gpu.api.v1alpha1;

/** The names under which the parts own fields of an object by server-side apply. */
public final class FieldManagers {
  public static final String OPERATOR = WellKnownLabels.OPERATOR;
  public static final String METRICS = "baetyl-gpu-metrics";
  public static final String DEVICE_PLUGIN = "baetyl-gpu-device-plugin";
  public static final String EXTENDER = "baetyl-gpu-scheduler-extender";

  private FieldManagers() {}
}
