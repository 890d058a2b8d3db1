package io.baetyl.gpu.operator.components;

import io.baetyl.gpu.operator.config.Blueprint;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;

/** What the agents have in common that run once on each node. */
final class NodeAgent {
  private NodeAgent() {}

  /**
   * @param maxUnavailable how many nodes may be without it while it is updated
   * @param pod what is its own
   */
  static DaemonSet of(Blueprint blueprint, String name, IntOrString maxUnavailable, PodSpec pod) {
    var labels = Names.labels(name);
    var settings = blueprint.settings();
    return new DaemonSetBuilder()
        .withNewMetadata()
        .withName(name)
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
        // Never two of them on a node: they have one port, and the exit of an old device plugin
        // would disconnect the new one from the kubelet.
        .withMaxSurge(new IntOrString(0))
        .withMaxUnavailable(maxUnavailable)
        .endRollingUpdate()
        .endUpdateStrategy()
        .withNewTemplate()
        .withNewMetadata()
        .withLabels(labels)
        .endMetadata()
        .withSpec(
            new PodSpecBuilder(pod)
                .withPriorityClassName(settings.agentPriorityClass())
                .withTolerations(settings.agentTolerations().all())
                .withImagePullSecrets(Containers.pullSecrets(blueprint))
                .build())
        .endTemplate()
        .endSpec()
        .build();
  }
}
