package io.baetyl.gpu.operator.config;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithConverter;
import io.smallrye.config.WithDefault;
import java.util.List;
import java.util.Optional;

/**
 * The settings of the operator. Each is a variable of its environment: {@code scheduler-image} is
 * {@code GPU_SCHEDULER_IMAGE}, {@code metrics.memory-limit} is {@code GPU_METRICS_MEMORY_LIMIT}.
 */
@ConfigMapping(prefix = "gpu")
public interface GpuSettings {

  /** The namespace of the operator and of all that it deploys; its own by default. */
  String namespace();

  /** The operator's own pod, from which it takes its image; empty outside of a cluster. */
  Optional<String> podName();

  /** The image of the metrics agent, device plugin and extender; the operator's own by default. */
  Optional<String> image();

  /** When the kubelet pulls the images: {@code Always}, {@code IfNotPresent} or {@code Never}. */
  @WithDefault("IfNotPresent")
  String imagePullPolicy();

  /** Names of Secrets in the namespace that the images are pulled with, separated by commas. */
  Optional<List<String>> imagePullSecrets();

  /**
   * The image of the second kube-scheduler; by default that of the API server's version from {@code
   * registry.k8s.io}.
   */
  Optional<String> schedulerImage();

  /** The kubelet's folder on the nodes, with {@code device-plugins} and {@code pod-resources}. */
  @WithDefault("/var/lib/kubelet")
  String kubeletDir();

  /** Whether something is done. */
  enum Switch {
    ENABLED,
    DISABLED
  }

  /** Whether each node with the label {@code baetyl-accelerator} gets a GpuNode. */
  @WithDefault("enabled")
  Switch labelledNodes();

  /**
   * Where the agents find the kernel's /proc and /sys of a node; another than / is for simulated
   * hardware.
   */
  @WithDefault("/")
  String hardwareRoot();

  /** The metrics agent, on every node with a GpuNode. */
  @WithDefault("10m")
  String metricsCpuRequest();

  @WithDefault("96Mi")
  String metricsMemoryRequest();

  @WithDefault("192Mi")
  String metricsMemoryLimit();

  /** The RuntimeClass that gives the metrics agent the driver; the node's default if absent. */
  Optional<String> metricsRuntimeClass();

  /** The device plugin, on every node that shares. */
  @WithDefault("10m")
  String devicePluginCpuRequest();

  @WithDefault("96Mi")
  String devicePluginMemoryRequest();

  @WithDefault("192Mi")
  String devicePluginMemoryLimit();

  /** The scheduler extender, once. */
  @WithDefault("50m")
  String extenderCpuRequest();

  @WithDefault("128Mi")
  String extenderMemoryRequest();

  @WithDefault("384Mi")
  String extenderMemoryLimit();

  /** The second kube-scheduler, once. */
  @WithDefault("50m")
  String schedulerCpuRequest();

  @WithDefault("64Mi")
  String schedulerMemoryRequest();

  @WithDefault("256Mi")
  String schedulerMemoryLimit();

  /** Tolerations of the node agents, as a JSON list; by default they tolerate every taint. */
  @WithDefault("[{\"operator\":\"Exists\"}]")
  @WithConverter(Tolerations.FromJson.class)
  Tolerations agentTolerations();

  /** Tolerations of extender and scheduler, as a JSON list. */
  @WithDefault("[{\"key\":\"node-role.kubernetes.io/control-plane\",\"operator\":\"Exists\"}]")
  @WithConverter(Tolerations.FromJson.class)
  Tolerations clusterTolerations();

  /** The priority class of the node agents. */
  @WithDefault("system-node-critical")
  String agentPriorityClass();

  /** The priority class of extender and scheduler. */
  @WithDefault("system-cluster-critical")
  String clusterPriorityClass();
}
