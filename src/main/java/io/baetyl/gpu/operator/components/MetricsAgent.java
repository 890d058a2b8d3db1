package io.baetyl.gpu.operator.components;

import static io.baetyl.gpu.operator.components.Containers.env;
import static io.baetyl.gpu.operator.components.Containers.fieldEnv;
import static io.baetyl.gpu.operator.components.Containers.following;
import static io.baetyl.gpu.operator.components.Containers.hostFolder;
import static io.baetyl.gpu.operator.components.Containers.mount;
import static io.baetyl.gpu.operator.components.Containers.port;
import static io.baetyl.gpu.operator.components.Containers.probe;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toCollection;

import io.baetyl.gpu.accelerator.Vendors;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.WellKnownLabels;
import io.baetyl.gpu.operator.config.Blueprint;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The agent that finds and watches accelerators. It runs on every node whose GpuNode does not rule
 * accelerators out.
 *
 * <p>It is privileged since drivers guard their device nodes by the device cgroup, and there is no
 * device plugin yet that could open it; it shares the host's process ids since drivers name the
 * processes on a card by those.
 */
final class MetricsAgent {
  private static final String HOST = "/host";

  private MetricsAgent() {}

  static DaemonSet of(Blueprint blueprint) {
    var pod =
        new PodSpecBuilder()
            .withServiceAccountName(Names.METRICS)
            .withRuntimeClassName(blueprint.settings().metricsRuntimeClass().orElse(null))
            .withHostPID(true)
            .withTerminationGracePeriodSeconds(10L)
            .withNewAffinity()
            .withNewNodeAffinity()
            .withNewRequiredDuringSchedulingIgnoredDuringExecution()
            .addNewNodeSelectorTerm()
            .addNewMatchExpression()
            .withKey(WellKnownLabels.ACCELERATOR)
            .withOperator("Exists")
            .endMatchExpression()
            .addNewMatchExpression()
            .withKey(WellKnownLabels.ACCELERATOR)
            .withOperator("NotIn")
            .withValues(AcceleratorType.NONE.value())
            .endMatchExpression()
            .endNodeSelectorTerm()
            .endRequiredDuringSchedulingIgnoredDuringExecution()
            .endNodeAffinity()
            .endAffinity()
            .withContainers(container(blueprint))
            .withVolumes(
                Stream.concat(
                        Stream.of(hostFolder("dev", "/dev", "Directory"), Containers.scratch()),
                        hostFolders().stream().map(Containers::hostFolder))
                    .toList())
            .build();
    return new DaemonSetBuilder(
            NodeAgent.of(blueprint, Names.METRICS, new IntOrString("100%"), pod))
        .editSpec()
        .editTemplate()
        .editMetadata()
        .addToLabels(WellKnownLabels.BAETYL_SERVICE_NAME, Names.METRICS)
        .endMetadata()
        .endTemplate()
        .endSpec()
        .build();
  }

  /** Those that some vendor needs, but none that lies in another one. */
  private static SortedSet<String> hostFolders() {
    var all =
        Vendors.requirements().stream()
            .flatMap(
                known ->
                    Stream.concat(
                        known.hostFolders().stream(), known.driver().hostFolders().stream()))
            .collect(toCollection(TreeSet::new));
    return all.stream()
        .filter(folder -> all.stream().noneMatch(other -> folder.startsWith(other + "/")))
        .collect(toCollection(TreeSet::new));
  }

  /** The loader looks there for what a vendor's library needs, once it has been found itself. */
  private static String libraryPath() {
    return Vendors.requirements().stream()
        .flatMap(known -> known.driver().libraryFolders().stream())
        .map(folder -> HOST + folder)
        .collect(joining(":"));
  }

  private static Stream<EnvVar> environment() {
    var variables = new TreeMap<String, String>();
    Vendors.requirements().forEach(known -> variables.putAll(known.driver().environment()));
    return variables.entrySet().stream()
        .map(variable -> env(variable.getKey(), variable.getValue()));
  }

  private static Container container(Blueprint blueprint) {
    return new ContainerBuilder()
        .withName("metrics")
        .withImage(blueprint.image())
        .withImagePullPolicy(blueprint.settings().imagePullPolicy())
        .withArgs("metrics")
        .withEnv(
            Stream.concat(
                    Stream.of(
                        fieldEnv("NODE_NAME", "spec.nodeName"),
                        fieldEnv("POD_NAMESPACE", "metadata.namespace"),
                        env("KUBELET_DIR", blueprint.settings().kubeletDir()),
                        env("HARDWARE_ROOT", blueprint.settings().hardwareRoot()),
                        env("LD_LIBRARY_PATH", libraryPath()),
                        Containers.javaOptions(
                            "-XX:TieredStopAtLevel=1 -Xmx32m -XX:MaxMetaspaceSize=64m")),
                    environment())
                .toList())
        .withPorts(port("metrics", 30060))
        .withStartupProbe(probe("/healthz", "metrics", "HTTP", 1, 60))
        .withReadinessProbe(probe("/readyz", "metrics", "HTTP", 5, 3))
        .withLivenessProbe(probe("/healthz", "metrics", "HTTP", 10, 6))
        .withResources(Containers.resources(blueprint.metrics()))
        .withNewSecurityContext()
        .withPrivileged(true)
        .withReadOnlyRootFilesystem(true)
        .withRunAsUser(0L)
        .endSecurityContext()
        // The host's /dev is mounted over the default place of this file.
        .withTerminationMessagePath("/tmp/termination-log")
        .withVolumeMounts(
            Stream.concat(
                    Stream.of(mount("dev", "/dev"), Containers.scratchMount()),
                    hostFolders().stream()
                        .map(folder -> following(Containers.volume(folder), HOST + folder)))
                .toList())
        .build();
  }
}
