package io.baetyl.gpu.operator.components;

import io.baetyl.gpu.operator.config.Blueprint;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import java.util.Map;

/** What the programs have in common that run once in the cluster: never two, and confined. */
final class ClusterService {
  private ClusterService() {}

  /**
   * @param name that of the ServiceAccount too
   * @param annotations of the pod
   * @param container but for what confines it
   */
  static Deployment of(
      Blueprint blueprint,
      String name,
      Map<String, String> annotations,
      Container container,
      Volume... volumes) {
    var labels = Names.labels(name);
    var settings = blueprint.settings();
    return new DeploymentBuilder()
        .withNewMetadata()
        .withName(name)
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
        .withAnnotations(annotations)
        .endMetadata()
        .withNewSpec()
        .withServiceAccountName(name)
        .withPriorityClassName(settings.clusterPriorityClass())
        .withTerminationGracePeriodSeconds(15L)
        .withTolerations(settings.clusterTolerations().all())
        .withImagePullSecrets(Containers.pullSecrets(blueprint))
        .withNewSecurityContext()
        .withRunAsNonRoot(true)
        .withRunAsUser(65532L)
        .withRunAsGroup(65532L)
        .withSeccompProfile(Containers.runtimeDefault())
        .endSecurityContext()
        .withContainers(
            new ContainerBuilder(container)
                .withImagePullPolicy(settings.imagePullPolicy())
                .withSecurityContext(Containers.confined())
                .build())
        .withVolumes(volumes)
        .endSpec()
        .endTemplate()
        .endSpec()
        .build();
  }
}
