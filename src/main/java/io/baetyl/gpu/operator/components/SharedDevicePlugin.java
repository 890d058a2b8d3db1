package io.baetyl.gpu.operator.components;

import static io.baetyl.gpu.operator.components.Containers.env;
import static io.baetyl.gpu.operator.components.Containers.fieldEnv;
import static io.baetyl.gpu.operator.components.Containers.following;
import static io.baetyl.gpu.operator.components.Containers.hostFolder;
import static io.baetyl.gpu.operator.components.Containers.mount;
import static io.baetyl.gpu.operator.components.Containers.probe;
import static io.baetyl.gpu.operator.components.Containers.readOnly;

import io.baetyl.gpu.accelerator.nvidia.NvidiaRequirements;
import io.baetyl.gpu.api.v1alpha1.WellKnownLabels;
import io.baetyl.gpu.operator.config.Blueprint;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import java.util.Map;

/**
 * The device plugin of nodes that share NVIDIA cards by memory. It opens no device, so it is not
 * privileged; it is root for the kubelet's sockets alone.
 */
final class SharedDevicePlugin {
  private static final Map<String, String> NODES =
      Map.of(
          WellKnownLabels.ACCELERATOR,
          NvidiaRequirements.REQUIREMENTS.type().value(),
          WellKnownLabels.ALLOCATION,
          "shared",
          "kubernetes.io/arch",
          NvidiaRequirements.REQUIREMENTS.architecture());

  private SharedDevicePlugin() {}

  static DaemonSet of(Blueprint blueprint) {
    var labels = Names.labels(Names.DEVICE_PLUGIN);
    var devicePlugins = blueprint.settings().kubeletDir() + "/device-plugins";
    var podResources = blueprint.settings().kubeletDir() + "/pod-resources";
    return new DaemonSetBuilder()
        .withNewMetadata()
        .withName(Names.DEVICE_PLUGIN)
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
        // Never two of them on a node: the exit of the old one would disconnect the new one from
        // the kubelet.
        .withMaxSurge(new IntOrString(0))
        .withMaxUnavailable(new IntOrString(1))
        .endRollingUpdate()
        .endUpdateStrategy()
        .withNewTemplate()
        .withNewMetadata()
        .withLabels(labels)
        .endMetadata()
        .withNewSpec()
        .withServiceAccountName(Names.DEVICE_PLUGIN_ACCOUNT)
        .withPriorityClassName(blueprint.settings().agentPriorityClass())
        .withTerminationGracePeriodSeconds(15L)
        .withTolerations(blueprint.settings().agentTolerations().all())
        .withImagePullSecrets(Containers.pullSecrets(blueprint))
        .withNodeSelector(NODES)
        .addNewContainer()
        .withName("device-plugin")
        .withImage(blueprint.image())
        .withImagePullPolicy(blueprint.settings().imagePullPolicy())
        .withArgs("device-plugin")
        .withEnv(
            fieldEnv("NODE_NAME", "spec.nodeName"),
            fieldEnv("POD_NAMESPACE", "metadata.namespace"),
            env("KUBELET_DIR", blueprint.settings().kubeletDir()),
            Containers.javaOptions("-XX:TieredStopAtLevel=1 -Xmx48m -XX:MaxMetaspaceSize=64m"))
        .addNewPort()
        .withName("health")
        .withContainerPort(30061)
        .withProtocol("TCP")
        .endPort()
        .withStartupProbe(probe("/healthz", "health", "HTTP", 1, 60))
        .withReadinessProbe(probe("/readyz", "health", "HTTP", 5, 3))
        .withLivenessProbe(probe("/healthz", "health", "HTTP", 10, 6))
        .withResources(Containers.resources(blueprint.devicePlugin()))
        .withSecurityContext(
            new SecurityContextBuilder(Containers.confined()).withRunAsUser(0L).build())
        .withTerminationMessagePath("/tmp/termination-log")
        .withVolumeMounts(
            mount("device-plugins", devicePlugins),
            readOnly("pod-resources", podResources),
            following("cgroup", "/host/sys/fs/cgroup"),
            readOnly("dev", "/dev"),
            readOnly("usr", "/host/usr"),
            following("run", "/host/run"),
            readOnly("cdi", "/host/etc/cdi"),
            Containers.scratchMount())
        .endContainer()
        .withVolumes(
            hostFolder("device-plugins", devicePlugins, "Directory"),
            hostFolder("pod-resources", podResources, "Directory"),
            hostFolder("cgroup", "/sys/fs/cgroup", "Directory"),
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
