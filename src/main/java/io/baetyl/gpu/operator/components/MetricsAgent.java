package io.baetyl.gpu.operator.components;

import static io.baetyl.gpu.operator.components.Containers.env;
import static io.baetyl.gpu.operator.components.Containers.fieldEnv;
import static io.baetyl.gpu.operator.components.Containers.following;
import static io.baetyl.gpu.operator.components.Containers.hostFolder;
import static io.baetyl.gpu.operator.components.Containers.mount;
import static io.baetyl.gpu.operator.components.Containers.port;
import static io.baetyl.gpu.operator.components.Containers.probe;
import static io.baetyl.gpu.operator.components.Containers.readOnly;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.WellKnownLabels;
import io.baetyl.gpu.operator.config.Blueprint;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;

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
                hostFolder("dev", "/dev", "Directory"),
                hostFolder("usr", "/usr", "Directory"),
                hostFolder("opt", "/opt", "DirectoryOrCreate"),
                hostFolder("run", "/run", "Directory"),
                hostFolder("cdi", "/etc/cdi", "DirectoryOrCreate"),
                Containers.scratch())
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

  private static Container container(Blueprint blueprint) {
    return new ContainerBuilder()
        .withName("metrics")
        .withImage(blueprint.image())
        .withImagePullPolicy(blueprint.settings().imagePullPolicy())
        .withArgs("metrics")
        .withEnv(
            fieldEnv("NODE_NAME", "spec.nodeName"),
            fieldEnv("POD_NAMESPACE", "metadata.namespace"),
            env("KUBELET_DIR", blueprint.settings().kubeletDir()),
            env("HARDWARE_ROOT", blueprint.settings().hardwareRoot()),
            // Where NVIDIA's runtime is the default one, it injects the driver's library.
            env("NVIDIA_VISIBLE_DEVICES", "all"),
            env("NVIDIA_DRIVER_CAPABILITIES", "utility"),
            Containers.javaOptions("-XX:TieredStopAtLevel=1 -Xmx32m -XX:MaxMetaspaceSize=64m"))
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
            mount("dev", "/dev"),
            readOnly("usr", "/host/usr"),
            readOnly("opt", "/host/opt"),
            following("run", "/host/run"),
            readOnly("cdi", "/host/etc/cdi"),
            Containers.scratchMount())
        .build();
  }
}
