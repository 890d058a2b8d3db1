package io.baetyl.gpu.operator.components;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.operator.resolve.PluginKind;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;

/** Pods of components on their way through life. */
final class AgentPods {
  static final String STARTED = "2026-03-01T12:00:00Z";

  private AgentPods() {}

  static final PluginKind PLUGIN = new PluginKind(AcceleratorType.NVIDIA, AllocationMode.SHARED);

  static PodBuilder onNode(String component, String node) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(component + "-x")
        .withNamespace("kube-system")
        .withLabels(Names.labels(component))
        .withCreationTimestamp(STARTED)
        .endMetadata()
        .withNewSpec()
        .withNodeName(node)
        .endSpec()
        .withNewStatus()
        .withStartTime(STARTED)
        .endStatus();
  }

  static Pod ready(String component, String node) {
    return onNode(component, node)
        .editStatus()
        .addNewCondition()
        .withType("Ready")
        .withStatus("True")
        .endCondition()
        .endStatus()
        .build();
  }

  static Pod in(ContainerState state) {
    return onNode(Names.of(PLUGIN), "edge-01")
        .editStatus()
        .withContainerStatuses(
            new ContainerStatusBuilder()
                .withName("main")
                .withImage("registry.local/gpu:7")
                .withState(state)
                .build())
        .endStatus()
        .build();
  }

  static Pod waiting(String reason, String message) {
    return in(
        new ContainerStateBuilder()
            .withNewWaiting()
            .withReason(reason)
            .withMessage(message)
            .endWaiting()
            .build());
  }
}
