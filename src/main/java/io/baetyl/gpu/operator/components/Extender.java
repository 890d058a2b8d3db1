package io.baetyl.gpu.operator.components;

import static io.baetyl.gpu.operator.components.Containers.fieldEnv;
import static io.baetyl.gpu.operator.components.Containers.probe;
import static io.baetyl.gpu.operator.components.Containers.readOnly;

import io.baetyl.gpu.operator.config.Blueprint;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;

/**
 * The extender that kube-scheduler asks about cards, once per cluster: two would decide about the
 * same card at once.
 */
final class Extender {
  private static final String TLS_FOLDER = "/etc/baetyl-gpu/tls";

  private Extender() {}

  static Deployment deployment(Blueprint blueprint) {
    var labels = Names.labels(Names.EXTENDER);
    return new DeploymentBuilder()
        .withNewMetadata()
        .withName(Names.EXTENDER)
        .withNamespace(blueprint.namespace())
        .withLabels(labels)
        .endMetadata()
        .withNewSpec()
        .withReplicas(1)
        .withNewStrategy()
        .withType("Recreate")
        .endStrategy()
        .withNewSelector()
        .withMatchLabels(labels)
        .endSelector()
        .withNewTemplate()
        .withNewMetadata()
        .withLabels(labels)
        .endMetadata()
        .withNewSpec()
        .withServiceAccountName(Names.EXTENDER)
        .withPriorityClassName(blueprint.settings().clusterPriorityClass())
        .withTerminationGracePeriodSeconds(15L)
        .withTolerations(blueprint.settings().clusterTolerations().all())
        .withImagePullSecrets(Containers.pullSecrets(blueprint))
        .withNewSecurityContext()
        .withRunAsNonRoot(true)
        .withRunAsUser(65532L)
        .withRunAsGroup(65532L)
        .withNewSeccompProfile()
        .withType("RuntimeDefault")
        .endSeccompProfile()
        .endSecurityContext()
        .addNewContainer()
        .withName("scheduler-extender")
        .withImage(blueprint.image())
        .withImagePullPolicy(blueprint.settings().imagePullPolicy())
        .withArgs(
            "scheduler-extender", "--port=8443", "--health-port=8081", "--tls-dir=" + TLS_FOLDER)
        .withEnv(
            fieldEnv("POD_NAMESPACE", "metadata.namespace"),
            // With the optimizing compiler: without it TLS costs several times as much.
            Containers.javaOptions("-Xmx192m -XX:MaxMetaspaceSize=64m"))
        .addNewPort()
        .withName("https")
        .withContainerPort(8443)
        .withProtocol("TCP")
        .endPort()
        .addNewPort()
        .withName("health")
        .withContainerPort(8081)
        .withProtocol("TCP")
        .endPort()
        .withStartupProbe(probe("/healthz", "health", "HTTP", 1, 60))
        .withReadinessProbe(probe("/readyz", "health", "HTTP", 1, 3))
        .withLivenessProbe(probe("/healthz", "health", "HTTP", 10, 6))
        .withResources(Containers.resources(blueprint.extender()))
        .withSecurityContext(Containers.confined())
        .withVolumeMounts(readOnly("tls", TLS_FOLDER), Containers.scratchMount())
        .endContainer()
        .addNewVolume()
        .withName("tls")
        .withNewSecret()
        .withSecretName(Names.EXTENDER_SECRET)
        .endSecret()
        .endVolume()
        .addToVolumes(Containers.scratch())
        .endSpec()
        .endTemplate()
        .endSpec()
        .build();
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
