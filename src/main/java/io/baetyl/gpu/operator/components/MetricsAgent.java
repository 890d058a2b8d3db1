package io.baetyl.gpu.operator.components;

import static io.baetyl.gpu.operator.components.Containers.env;
import static io.baetyl.gpu.operator.components.Containers.fieldEnv;
import static io.baetyl.gpu.operator.components.Containers.following;
import static io.baetyl.gpu.operator.components.Containers.hostFolder;
import static io.baetyl.gpu.operator.components.Containers.mount;
import static io.baetyl.gpu.operator.components.Containers.probe;
import static io.baetyl.gpu.operator.components.Containers.readOnly;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.WellKnownLabels;
import io.baetyl.gpu.operator.config.Blueprint;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirementBuilder;
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
    var labels = Names.labels(Names.METRICS);
    return new DaemonSetBuilder()
        .withNewMetadata()
        .withName(Names.METRICS)
        .withNamespace(blueprint.namespace())
        .withLabels(labels)
        .endMetadata()
        .withNewSpec()
        .withNewSelector()
        .withMatchLabels(labels)
        .endSelector()
        .withNewUpdateStrategy()
        .withType("RollingUpdate")
        .withNewRollingUpdate()
        .withMaxSurge(new IntOrString(0))
        .withMaxUnavailable(new IntOrString("100%"))
        .endRollingUpdate()
        .endUpdateStrategy()
        .withNewTemplate()
        .withNewMetadata()
        .withLabels(labels)
        .addToLabels(WellKnownLabels.BAETYL_SERVICE_NAME, Names.METRICS)
        .endMetadata()
        .withNewSpec()
        .withServiceAccountName(Names.METRICS)
        .withPriorityClassName(blueprint.settings().agentPriorityClass())
        .withRuntimeClassName(blueprint.settings().metricsRuntimeClass().orElse(null))
        .withHostPID(true)
        .withTerminationGracePeriodSeconds(10L)
        .withTolerations(blueprint.settings().agentTolerations().all())
        .withImagePullSecrets(Containers.pullSecrets(blueprint))
        .withNewAffinity()
        .withNewNodeAffinity()
        .withNewRequiredDuringSchedulingIgnoredDuringExecution()
        .addNewNodeSelectorTerm()
        .withMatchExpressions(
            new NodeSelectorRequirementBuilder()
                .withKey(WellKnownLabels.ACCELERATOR)
                .withOperator("Exists")
                .build(),
            new NodeSelectorRequirementBuilder()
                .withKey(WellKnownLabels.ACCELERATOR)
                .withOperator("NotIn")
                .withValues(AcceleratorType.NONE.value())
                .build())
        .endNodeSelectorTerm()
        .endRequiredDuringSchedulingIgnoredDuringExecution()
        .endNodeAffinity()
        .endAffinity()
        .addNewContainer()
        .withName("metrics")
        .withImage(blueprint.image())
        .withImagePullPolicy(blueprint.settings().imagePullPolicy())
        .withArgs("metrics")
        .withEnv(
            fieldEnv("NODE_NAME", "spec.nodeName"),
            fieldEnv("POD_NAMESPACE", "metadata.namespace"),
            env("KUBELET_DIR", blueprint.settings().kubeletDir()),
            // Where NVIDIA's runtime is the default one, it injects the driver's library.
            env("NVIDIA_VISIBLE_DEVICES", "all"),
            env("NVIDIA_DRIVER_CAPABILITIES", "utility"),
            Containers.javaOptions("-XX:TieredStopAtLevel=1 -Xmx32m -XX:MaxMetaspaceSize=64m"))
        .addNewPort()
        .withName("metrics")
        .withContainerPort(30060)
        .withProtocol("TCP")
        .endPort()
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
            following("run", "/host/run"),
            readOnly("cdi", "/host/etc/cdi"),
            Containers.scratchMount())
        .endContainer()
        .withVolumes(
            hostFolder("dev", "/dev", "Directory"),
            hostFolder("usr", "/usr", "Directory"),
            hostFolder("run", "/run", "Directory"),
            hostFolder("cdi", "/etc/cdi", "DirectoryOrCreate"),
            Containers.scratch())
        .endSpec()
        .endTemplate()
        .endSpec()
        .build();
  }
}
