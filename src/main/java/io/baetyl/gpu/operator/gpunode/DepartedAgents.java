package io.baetyl.gpu.operator.gpunode;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.ConditionType;
import io.baetyl.gpu.api.v1alpha1.FieldManagers;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.operator.components.ComponentStates;
import io.baetyl.gpu.operator.components.Names;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.Set;

/**
 * Clears what an agent reported once it has left the node for good. The agent itself does not: at
 * its end it cannot know whether it will be back.
 */
final class DepartedAgents {
  /** The phases in which no container of a pod will run again. */
  private static final Set<String> ENDED = Set.of("Succeeded", "Failed");

  private final KubernetesClient client;

  DepartedAgents(KubernetesClient client) {
    this.client = client;
  }

  /**
   * @return false where something is left that cannot be cleared yet: pods still hold devices
   */
  boolean clear(NodeFacts facts, ComponentStates states) {
    clearMetrics(facts, states);
    return clearDevicePlugin(facts, states);
  }

  private boolean clearDevicePlugin(NodeFacts facts, ComponentStates states) {
    var status = facts.reported();
    boolean reported = status.plugin() != null || !status.allocations().isEmpty();
    boolean wanted = facts.inForce().plugin().isPresent() && facts.nodeLabels().isPresent();
    if (!reported || wanted || states.hasDevicePlugin(facts.name())) {
      return true;
    }
    if (status.allocations().stream().anyMatch(this::isHeld)) {
      return false;
    }
    applyNothing(facts, FieldManagers.DEVICE_PLUGIN);
    return true;
  }

  private void clearMetrics(NodeFacts facts, ComponentStates states) {
    var status = facts.reported();
    boolean metricsReported =
        status.detected() != null
            || !status.devices().isEmpty()
            || facts.reported(ConditionType.ACCELERATOR_FOUND).isPresent();
    boolean wanted = facts.inForce().watched() && facts.nodeLabels().isPresent();
    if (metricsReported && !wanted && !states.isOn(Names.METRICS, facts.name())) {
      applyNothing(facts, FieldManagers.METRICS);
    }
  }

  private boolean isHeld(Allocation allocation) {
    var pod = client.pods().inNamespace(allocation.namespace()).withName(allocation.pod()).get();
    return pod != null
        && pod.getMetadata().getUid().equals(allocation.uid())
        && !ENDED.contains(String.valueOf(pod.getStatus().getPhase()));
  }

  private void applyNothing(NodeFacts facts, String fieldManager) {
    var empty = new GpuNode();
    empty.setMetadata(new ObjectMetaBuilder().withName(facts.name()).build());
    empty.setStatus(GpuNodeStatus.EMPTY);
    client
        .resource(empty)
        .subresource("status")
        .patch(
            new PatchContext.Builder()
                .withPatchType(PatchType.SERVER_SIDE_APPLY)
                .withFieldManager(fieldManager)
                .withForce(true)
                .build());
  }
}
