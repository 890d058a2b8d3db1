package io.baetyl.gpu.operator.config;

/**
 * What all workloads are built from, every default resolved.
 *
 * @param settings as they were given to the operator
 * @param image of metrics agent, device plugin and extender
 * @param schedulerImage of the second kube-scheduler
 */
public record Blueprint(GpuSettings settings, String image, String schedulerImage) {

  /**
   * The blueprint by the settings.
   *
   * @param ownImage the image that the operator itself runs, for settings that name none
   * @param serverVersion the API server's version, such as {@code v1.36.3+k3s1}
   */
  public static Blueprint of(GpuSettings settings, String ownImage, String serverVersion) {
    return new Blueprint(
        settings,
        settings.image().orElse(ownImage),
        settings
            .schedulerImage()
            .orElse("registry.k8s.io/kube-scheduler:" + upstream(serverVersion)));
  }

  /** Distributions add a suffix of theirs to the version that the images are tagged with. */
  private static String upstream(String version) {
    int suffix = version.indexOf('+');
    return suffix < 0 ? version : version.substring(0, suffix);
  }

  /** Where the workloads live. */
  public String namespace() {
    return settings.namespace();
  }

  public Footprint metrics() {
    return new Footprint(
        settings.metricsCpuRequest(),
        settings.metricsMemoryRequest(),
        settings.metricsMemoryLimit());
  }

  public Footprint devicePlugin() {
    return new Footprint(
        settings.devicePluginCpuRequest(),
        settings.devicePluginMemoryRequest(),
        settings.devicePluginMemoryLimit());
  }

  public Footprint extender() {
    return new Footprint(
        settings.extenderCpuRequest(),
        settings.extenderMemoryRequest(),
        settings.extenderMemoryLimit());
  }

  public Footprint scheduler() {
    return new Footprint(
        settings.schedulerCpuRequest(),
        settings.schedulerMemoryRequest(),
        settings.schedulerMemoryLimit());
  }
}
