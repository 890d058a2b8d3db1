package io.baetyl.gpu.operator.components;

import static io.baetyl.gpu.operator.components.Containers.env;
import static io.baetyl.gpu.operator.components.Containers.fieldEnv;
import static io.baetyl.gpu.operator.components.Containers.following;
import static io.baetyl.gpu.operator.components.Containers.hostFolder;
import static io.baetyl.gpu.operator.components.Containers.mount;
import static io.baetyl.gpu.operator.components.Containers.port;
import static io.baetyl.gpu.operator.components.Containers.probe;
import static io.baetyl.gpu.operator.components.Containers.readOnly;

import io.baetyl.gpu.accelerator.nvidia.NvidiaRequirements;
import io.baetyl.gpu.api.v1alpha1.WellKnownLabels;
import io.baetyl.gpu.operator.config.Blueprint;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.Map;

/**
 * The device plugin of nodes that share NVIDIA cards by memory. It opens no device, so it is not
 * privileged; it is root for the kubelet's sockets alone, and of the host's files it sees besides
 * them only what tells it how a container gets a card and whether a pod still runs.
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
    var pod =
        new PodSpecBuilder()
            .withServiceAccountName(Names.DEVICE_PLUGIN_ACCOUNT)
            .withTerminationGracePeriodSeconds(15L)
            .withNodeSelector(NODES)
            .withNewSecurityContext()
            .withSeccompProfile(Containers.runtimeDefault())
            .endSecurityContext()
            .withContainers(container(blueprint))
            .withVolumes(
                hostFolder("device-plugins", devicePlugins(blueprint), "Directory"),
                hostFolder("pod-resources", podResources(blueprint), "Directory"),
                hostFolder("cgroup", "/sys/fs/cgroup", "Directory"),
                hostFolder("dev", "/dev", "Directory"),
                hostFolder("etc-cdi", "/etc/cdi", "DirectoryOrCreate"),
                hostFolder("run-cdi", "/run/cdi", "DirectoryOrCreate"),
                Containers.scratch())
            .build();
    return NodeAgent.of(blueprint, Names.DEVICE_PLUGIN, new IntOrString(1), pod);
  }

  private static String devicePlugins(Blueprint blueprint) {
    return blueprint.settings().kubeletDir() + "/device-plugins";
  }

  private static String podResources(Blueprint blueprint) {
    return blueprint.settings().kubeletDir() + "/pod-resources";
  }

  private static Container container(Blueprint blueprint) {
    return new ContainerBuilder()
        .withName("device-plugin")
        .withImage(blueprint.image())
        .withImagePullPolicy(blueprint.settings().imagePullPolicy())
        .withArgs("device-plugin")
        .withEnv(
            fieldEnv("NODE_NAME", "spec.nodeName"),
            fieldEnv("POD_NAMESPACE", "metadata.namespace"),
            env("KUBELET_DIR", blueprint.settings().kubeletDir()),
            Containers.javaOptions("-XX:TieredStopAtLevel=1 -Xmx48m -XX:MaxMetaspaceSize=64m"))
        .withPorts(port("health", 30061))
        .withStartupProbe(probe("/healthz", "health", "HTTP", 1, 60))
        .withReadinessProbe(probe("/readyz", "health", "HTTP", 5, 3))
        .withLivenessProbe(probe("/healthz", "health", "HTTP", 10, 6))
        .withResources(Containers.resources(blueprint.devicePlugin()))
        .withSecurityContext(
            new SecurityContextBuilder(Containers.confined()).withRunAsUser(0L).build())
        .withTerminationMessagePath("/tmp/termination-log")
        .withVolumeMounts(
            mount("device-plugins", devicePlugins(blueprint)),
            readOnly("pod-resources", podResources(blueprint)),
            following("cgroup", "/host/sys/fs/cgroup"),
            readOnly("dev", "/dev"),
            readOnly("etc-cdi", "/host/etc/cdi"),
            readOnly("run-cdi", "/host/run/cdi"),
            Containers.scratchMount())
        .build();
  }
}
