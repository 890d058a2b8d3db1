package io.baetyl.gpu.operator.components;

import static io.baetyl.gpu.operator.components.Containers.env;
import static io.baetyl.gpu.operator.components.Containers.fieldEnv;
import static io.baetyl.gpu.operator.components.Containers.following;
import static io.baetyl.gpu.operator.components.Containers.hostFolder;
import static io.baetyl.gpu.operator.components.Containers.mount;
import static io.baetyl.gpu.operator.components.Containers.port;
import static io.baetyl.gpu.operator.components.Containers.probe;
import static io.baetyl.gpu.operator.components.Containers.readOnly;
import static io.baetyl.gpu.operator.components.Containers.volumeOf;

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
import java.nio.file.Path;
import java.util.TreeMap;
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
                        Stream.of(
                            hostFolder("dev", "/dev", "Directory"),
                            hostFolder("usr", "/usr", "Directory"),
                            hostFolder("run", "/run", "Directory"),
                            Containers.scratch()),
                        hostFolders()
                            .map(
                                folder ->
                                    hostFolder(volumeOf(folder), folder, "DirectoryOrCreate")))
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

  /**
   * Where the vendors' drivers are, besides /usr and /run. All vendors', since the agent finds out
   * which of them a node has.
   */
  private static Stream<String> hostFolders() {
    return Vendors.requirements().stream()
        .flatMap(known -> known.hostFolders().stream())
        .filter(folder -> Stream.of("/usr", "/run").noneMatch(Path.of(folder)::startsWith))
        .distinct()
        .sorted();
  }

  private static Stream<EnvVar> environment() {
    var variables = new TreeMap<String, String>();
    Vendors.requirements().forEach(known -> variables.putAll(known.agentEnvironment()));
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
                    Stream.of(
                        mount("dev", "/dev"),
                        readOnly("usr", "/host/usr"),
                        following("run", "/host/run"),
                        Containers.scratchMount()),
                    hostFolders().map(folder -> readOnly(volumeOf(folder), "/host" + folder)))
                .toList())
        .build();
  }
}
