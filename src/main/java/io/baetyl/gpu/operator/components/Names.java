package io.baetyl.gpu.operator.components;

import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.WellKnownLabels;
import io.baetyl.gpu.operator.resolve.PluginKind;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;

/** The names of what the operator makes, and the labels by which it knows it again. */
public final class Names {
  public static final String METRICS = "baetyl-accelerator-metrics";
  public static final String EXTENDER = "baetyl-gpu-scheduler-extender";
  public static final String SCHEDULER = "baetyl-gpu-scheduler";
  public static final String CA_SECRET = "baetyl-gpu-ca";
  public static final String EXTENDER_SECRET = "baetyl-gpu-scheduler-extender-tls";
  public static final String SCHEDULER_SECRET = "baetyl-gpu-scheduler-tls";
  public static final String DEVICE_COUNTS = "baetyl-accelerator-device-counts";
  public static final String POLICY = "gpu-sharing-pods.gpu.baetyl.io";

  /** The ServiceAccount of the device plugins, whatever they hand out; their names begin so. */
  static final String DEVICE_PLUGIN = "baetyl-accelerator-device-plugin";

  private Names() {}

  /** Of a device plugin, such as {@code baetyl-accelerator-device-plugin-nvidia-shared}. */
  public static String of(PluginKind plugin) {
    var name = DEVICE_PLUGIN + "-" + plugin.type();
    return plugin.mode() == AllocationMode.SHARED ? name + "-shared" : name;
  }

  /** Whether an object was made for some device plugin. */
  public static boolean isOfDevicePlugin(HasMetadata object) {
    return object
        .getMetadata()
        .getLabels()
        .getOrDefault(WellKnownLabels.NAME, "")
        .startsWith(DEVICE_PLUGIN + "-");
  }

  /** Whether an object was made for one of these. */
  static boolean isOf(HasMetadata object, String name) {
    return name.equals(object.getMetadata().getLabels().get(WellKnownLabels.NAME));
  }

  /** Whether a pod of ours runs for its node alone. */
  public static boolean isNodeAgent(Pod pod) {
    return isOf(pod, METRICS) || isOfDevicePlugin(pod);
  }

  /** The labels of an object that the operator makes for one of these. */
  public static Map<String, String> labels(String name) {
    return Map.of(WellKnownLabels.NAME, name, WellKnownLabels.MANAGED_BY, WellKnownLabels.OPERATOR);
  }
}
