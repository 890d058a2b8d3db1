package io.baetyl.gpu.operator.components;

import static io.baetyl.gpu.operator.components.Containers.fieldEnv;
import static io.baetyl.gpu.operator.components.Containers.port;
import static io.baetyl.gpu.operator.components.Containers.probe;
import static io.baetyl.gpu.operator.components.Containers.readOnly;

import io.baetyl.gpu.operator.config.Blueprint;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.util.Map;

/**
 * The extender that kube-scheduler asks about cards, once per cluster: two would decide about the
 * same card at once.
 */
final class Extender {
  private static final String TLS_FOLDER = "/etc/baetyl-gpu/tls";

  private Extender() {}

  static Deployment deployment(Blueprint blueprint) {
    var container =
        new ContainerBuilder()
            .withName("scheduler-extender")
            .withImage(blueprint.image())
            .withArgs(
                "scheduler-extender",
                "--port=8443",
                "--health-port=8081",
                "--tls-dir=" + TLS_FOLDER)
            .withEnv(
                fieldEnv("POD_NAMESPACE", "metadata.namespace"),
                // With the optimizing compiler: without it TLS costs several times as much.
                Containers.javaOptions("-Xmx192m -XX:MaxMetaspaceSize=64m"))
            .withPorts(port("https", 8443), port("health", 8081))
            .withStartupProbe(probe("/healthz", "health", "HTTP", 1, 60))
            .withReadinessProbe(probe("/readyz", "health", "HTTP", 1, 3))
            .withLivenessProbe(probe("/healthz", "health", "HTTP", 10, 6))
            .withResources(Containers.resources(blueprint.extender()))
            .withVolumeMounts(readOnly("tls", TLS_FOLDER), Containers.scratchMount())
            .build();
    return ClusterService.of(
        blueprint,
        Names.EXTENDER,
        Map.of(),
        container,
        Containers.secret("tls", Names.EXTENDER_SECRET),
        Containers.scratch());
  }

  static Service service(Blueprint blueprint) {
    return new ServiceBuilder()
        .withNewMetadata()
        .withName(Names.EXTENDER)
        .withNamespace(blueprint.namespace())
        .withLabels(Names.labels(Names.EXTENDER))
        .endMetadata()
        .withNewSpec()
        .withSelector(Names.labels(Names.EXTENDER))
        .addNewPort()
        .withName("https")
        .withProtocol("TCP")
        .withPort(443)
        .withTargetPort(new IntOrString("https"))
        .endPort()
        .endSpec()
        .build();
  }

  /** The name that the extender's certificate is for. */
  static String serverName(String namespace) {
    return Names.EXTENDER + "." + namespace + ".svc";
  }
}
