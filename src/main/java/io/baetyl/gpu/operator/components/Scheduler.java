package io.baetyl.gpu.operator.components;

import static io.baetyl.gpu.operator.components.Containers.port;
import static io.baetyl.gpu.operator.components.Containers.probe;
import static io.baetyl.gpu.operator.components.Containers.readOnly;
import static java.util.stream.Collectors.toUnmodifiableSet;

import io.baetyl.gpu.operator.config.Blueprint;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;

/** The second kube-scheduler, which asks the extender about pods that share cards. */
final class Scheduler {
  private static final String CONFIG_FOLDER = "/etc/kubernetes/scheduler";
  private static final String CONFIG_FILE = "scheduler.yaml";

  /** Not in gpu.baetyl.io, which admission keeps for the cards of pods. */
  private static final String CHECKSUM = "checksum/config";

  /** So that an operator that starts anew knows it too. */
  private static final String RESOURCES = "gpu.baetyl.io/resources";

  private Scheduler() {}

  /**
   * @param checksum of the configuration and certificates, which kube-scheduler reads at its start
   *     only
   * @param resources the extended resources that it asks the extender about
   */
  static Deployment deployment(Blueprint blueprint, String checksum, SortedSet<String> resources) {
    var container =
        new ContainerBuilder()
            .withName("kube-scheduler")
            .withImage(blueprint.schedulerImage())
            .withCommand("kube-scheduler")
            .withArgs(
                "--config=" + CONFIG_FOLDER + "/" + CONFIG_FILE,
                // Nobody but the kubelet's probes calls it, so it needs no right to look up who
                // does.
                "--authentication-skip-lookup=true")
            .withPorts(port("https", 10259))
            .withStartupProbe(probe("/healthz", "https", "HTTPS", 1, 60))
            .withReadinessProbe(probe("/healthz", "https", "HTTPS", 2, 3))
            .withLivenessProbe(probe("/healthz", "https", "HTTPS", 10, 6))
            .withResources(Containers.resources(blueprint.scheduler()))
            .withVolumeMounts(
                readOnly("config", CONFIG_FOLDER),
                readOnly("tls", SchedulerConfiguration.TLS_FOLDER))
            .build();
    var config =
        new VolumeBuilder()
            .withName("config")
            .withNewConfigMap()
            .withName(Names.SCHEDULER)
            .endConfigMap()
            .build();
    var deployment =
        ClusterService.of(
            blueprint,
            Names.SCHEDULER,
            Map.of(CHECKSUM, checksum),
            container,
            config,
            Containers.secret("tls", Names.SCHEDULER_SECRET));
    deployment.getMetadata().setAnnotations(Map.of(RESOURCES, String.join(",", resources)));
    return deployment;
  }

  /** The extended resources that there is a scheduler for by what the cluster has. */
  static Set<String> resources(Collection<Deployment> deployments) {
    return deployments.stream()
        .filter(deployment -> deployment.getMetadata().getName().equals(Names.SCHEDULER))
        .map(deployment -> deployment.getMetadata().getAnnotations().get(RESOURCES))
        .filter(Objects::nonNull)
        .flatMap(resources -> Arrays.stream(resources.split(",")))
        .collect(toUnmodifiableSet());
  }

  /**
   * @param extenderAddress the cluster IP of the extender's Service: the scheduler does not depend
   *     on the cluster's DNS
   */
  static ConfigMap configMap(
      Blueprint blueprint, String extenderAddress, SortedSet<String> resources) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(Names.SCHEDULER)
        .withNamespace(blueprint.namespace())
        .withLabels(Names.labels(Names.SCHEDULER))
        .endMetadata()
        .addToData(
            CONFIG_FILE,
            SchedulerConfiguration.of(blueprint.namespace(), extenderAddress, resources))
        .build();
  }
}
