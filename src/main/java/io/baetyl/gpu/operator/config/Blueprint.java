package io.baetyl.gpu.operator.config;

import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Optional;

/**
 * What all workloads are built from, every default resolved.
 *
 * @param namespace where they live
 * @param image of metrics agent, device plugin and extender
 * @param schedulerImage of the second kube-scheduler
 * @param pullPolicy of both images
 * @param pullSecrets names of Secrets in the namespace
 * @param kubeletDir the kubelet's folder on the nodes
 * @param metricsRuntimeClass the RuntimeClass of the metrics agent
 */
public record Blueprint(
    String namespace,
    String image,
    String schedulerImage,
    String pullPolicy,
    List<String> pullSecrets,
    String kubeletDir,
    Optional<String> metricsRuntimeClass,
    Footprint metrics,
    Footprint devicePlugin,
    Footprint extender,
    Footprint scheduler,
    List<Toleration> agentTolerations,
    List<Toleration> clusterTolerations,
    String agentPriorityClass,
    String clusterPriorityClass) {

  /**
   * The blueprint by the settings.
   *
   * @param ownImage the image that the operator itself runs, for settings that name none
   * @param serverVersion the API server's version, such as {@code v1.36.3+k3s1}
   */
  public static Blueprint of(GpuSettings settings, String ownImage, String serverVersion) {
    return new Blueprint(
        settings.namespace(),
        settings.image().orElse(ownImage),
        settings
            .schedulerImage()
            .orElse("registry.k8s.io/kube-scheduler:" + upstream(serverVersion)),
        settings.imagePullPolicy(),
        settings.imagePullSecrets().orElse(List.of()),
        settings.kubeletDir(),
        settings.metricsRuntimeClass(),
        new Footprint(
            settings.metricsCpuRequest(),
            settings.metricsMemoryRequest(),
            settings.metricsMemoryLimit()),
        new Footprint(
            settings.devicePluginCpuRequest(),
            settings.devicePluginMemoryRequest(),
            settings.devicePluginMemoryLimit()),
        new Footprint(
            settings.extenderCpuRequest(),
            settings.extenderMemoryRequest(),
            settings.extenderMemoryLimit()),
        new Footprint(
            settings.schedulerCpuRequest(),
            settings.schedulerMemoryRequest(),
            settings.schedulerMemoryLimit()),
        tolerations(settings.agentTolerations()),
        tolerations(settings.clusterTolerations()),
        settings.agentPriorityClass(),
        settings.clusterPriorityClass());
  }

  /** Distributions add a suffix of theirs to the version that the images are tagged with. */
  private static String upstream(String version) {
    int suffix = version.indexOf('+');
    return suffix < 0 ? version : version.substring(0, suffix);
  }

  private static List<Toleration> tolerations(String json) {
    return List.of(Serialization.unmarshal(json, Toleration[].class));
  }
}
