package io.baetyl.gpu.operator.components;

import static io.baetyl.gpu.operator.components.Containers.env;
import static io.baetyl.gpu.operator.components.Containers.fieldEnv;
import static io.baetyl.gpu.operator.components.Containers.following;
import static io.baetyl.gpu.operator.components.Containers.hostFolder;
import static io.baetyl.gpu.operator.components.Containers.mount;
import static io.baetyl.gpu.operator.components.Containers.port;
import static io.baetyl.gpu.operator.components.Containers.probe;
import static io.baetyl.gpu.operator.components.Containers.readOnly;
import static java.util.stream.Collectors.toCollection;

import io.baetyl.gpu.accelerator.Requirements.DeviceResource;
import io.baetyl.gpu.accelerator.Vendors;
import io.baetyl.gpu.api.v1alpha1.WellKnownLabels;
import io.baetyl.gpu.operator.config.Blueprint;
import io.baetyl.gpu.operator.resolve.PluginKind;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A device plugin. It opens no device, so it is not privileged; it is root for the kubelet's
 * sockets alone, and of the host's files it sees besides them only what tells it how a container
 * gets a device and whether a pod still runs.
 */
final class DevicePlugin {
  private static final String ARCHITECTURE = "kubernetes.io/arch";

  private DevicePlugin() {}

  /** All device plugins that there can be. */
  static Stream<PluginKind> kinds() {
    return Vendors.types().stream()
        .flatMap(
            type ->
                Vendors.requirements(type).orElseThrow().allocations().stream()
                    .map(mode -> new PluginKind(type, mode)))
        .sorted();
  }

  /** The resources of which a container can have one device only. */
  static SortedSet<String> singleDevices(Collection<PluginKind> plugins) {
    return plugins.stream()
        .flatMap(kind -> Vendors.requirements(kind.type()).orElseThrow().resources().stream())
        .filter(resource -> resource.most() == 1)
        .map(DeviceResource::name)
        .collect(toCollection(TreeSet::new));
  }

  static DaemonSet of(Blueprint blueprint, PluginKind kind) {
    var pod =
        new PodSpecBuilder()
            .withServiceAccountName(Names.DEVICE_PLUGIN)
            .withTerminationGracePeriodSeconds(30L)
            .withNodeSelector(nodes(kind))
            .withNewAffinity()
            .withNewNodeAffinity()
            .withNewRequiredDuringSchedulingIgnoredDuringExecution()
            .addNewNodeSelectorTerm()
            .addNewMatchExpression()
            .withKey(ARCHITECTURE)
            .withOperator("In")
            .withValues(architectures(kind))
            .endMatchExpression()
            .endNodeSelectorTerm()
            .endRequiredDuringSchedulingIgnoredDuringExecution()
            .endNodeAffinity()
            .endAffinity()
            .withNewSecurityContext()
            .withSeccompProfile(Containers.runtimeDefault())
            .endSecurityContext()
            .withContainers(container(blueprint, kind))
            .withVolumes(
                Stream.concat(
                        Stream.of(
                            hostFolder("device-plugins", devicePlugins(blueprint), "Directory"),
                            hostFolder("pod-resources", podResources(blueprint), "Directory"),
                            hostFolder("cgroup", "/sys/fs/cgroup", "Directory"),
                            hostFolder("dev", "/dev", "Directory"),
                            Containers.scratch()),
                        hostFolders(kind).map(Containers::hostFolder))
                    .toList())
            .build();
    return NodeAgent.of(blueprint, Names.of(kind), new IntOrString(1), pod);
  }

  private static Stream<String> hostFolders(PluginKind kind) {
    return Vendors.requirements(kind.type()).orElseThrow().hostFolders().stream();
  }

  private static List<String> architectures(PluginKind kind) {
    return Vendors.requirements(kind.type()).orElseThrow().architectures().stream()
        .sorted()
        .toList();
  }

  private static Map<String, String> nodes(PluginKind kind) {
    return Map.of(
        WellKnownLabels.ACCELERATOR,
        kind.type().value(),
        WellKnownLabels.ALLOCATION,
        kind.mode().value().toLowerCase(Locale.ROOT));
  }

  private static String devicePlugins(Blueprint blueprint) {
    return blueprint.settings().kubeletDir() + "/device-plugins";
  }

  private static String podResources(Blueprint blueprint) {
    return blueprint.settings().kubeletDir() + "/pod-resources";
  }

  private static Container container(Blueprint blueprint, PluginKind kind) {
    return new ContainerBuilder()
        .withName("device-plugin")
        .withImage(blueprint.image())
        .withImagePullPolicy(blueprint.settings().imagePullPolicy())
        .withArgs("device-plugin", "--accelerator=" + kind.type(), "--allocation=" + kind.mode())
        .withEnv(
            fieldEnv("NODE_NAME", "spec.nodeName"),
            fieldEnv("POD_NAMESPACE", "metadata.namespace"),
            env("KUBELET_DIR", blueprint.settings().kubeletDir()),
            env("HARDWARE_ROOT", blueprint.settings().hardwareRoot()),
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
            Stream.concat(
                    Stream.of(
                        mount("device-plugins", devicePlugins(blueprint)),
                        readOnly("pod-resources", podResources(blueprint)),
                        following("cgroup", "/host/sys/fs/cgroup"),
                        readOnly("dev", "/dev"),
                        Containers.scratchMount()),
                    hostFolders(kind)
                        .map(folder -> readOnly(Containers.volume(folder), "/host" + folder)))
                .toList())
        .build();
  }
}
