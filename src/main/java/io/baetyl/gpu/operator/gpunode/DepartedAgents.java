package io.baetyl.gpu.operator.gpunode;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.ConditionType;
import io.baetyl.gpu.api.v1alpha1.FieldManagers;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.api.v1alpha1.PluginState;
import io.baetyl.gpu.api.v1alpha1.PluginStatus;
import io.baetyl.gpu.operator.components.ComponentStates;
import io.baetyl.gpu.operator.components.Names;
import io.baetyl.gpu.operator.resolve.PluginKind;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
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
   * Rows of pods that hold devices stay, each until its pod has ended.
   *
   * @return false where something is left that cannot be cleared yet
   */
  boolean clear(NodeFacts facts, ComponentStates states) {
    clearMetrics(facts, states);
    return clearDevicePlugin(facts, states);
  }

  private boolean clearDevicePlugin(NodeFacts facts, ComponentStates states) {
    var account = account(facts.reported());
    if (account.equals(GpuNodeStatus.EMPTY) || speaksForItself(facts, states)) {
      return true;
    }
    var left = withoutPlugin(account);
    return (left.equals(account) || replace(facts.name(), account, left))
        && left.allocations().isEmpty();
  }

  /** The fields of the device plugin. */
  private static GpuNodeStatus account(GpuNodeStatus status) {
    return GpuNodeStatus.ofDevicePlugin(status.plugin(), status.allocations());
  }

  /**
   * Whether the account has a device plugin that keeps it: the one that wrote it, or one that takes
   * it over. One of whole devices of a type that the node does not have never does.
   */
  private static boolean speaksForItself(NodeFacts facts, ComponentStates states) {
    var wanted = facts.nodeLabels().flatMap(node -> facts.inForce().plugin());
    if (wanted.isEmpty()) {
      return states.hasDevicePlugin(facts.name());
    }
    var type = wanted.get().type();
    var reported = facts.reported();
    return !reported.isPluginOfOtherThan(type)
        || reported.detected() == type
        || states.isOn(Names.of(author(reported.plugin())), facts.name());
  }

  private static PluginKind author(PluginStatus plugin) {
    return new PluginKind(
        plugin.accelerator(),
        plugin.unit() == null ? AllocationMode.DEVICES : AllocationMode.SHARED);
  }

  /** What is still true of an account once nobody is there who hands anything out. */
  private GpuNodeStatus withoutPlugin(GpuNodeStatus account) {
    var held = account.allocations().stream().filter(this::isHeld).toList();
    return held.isEmpty()
        ? GpuNodeStatus.EMPTY
        : GpuNodeStatus.ofDevicePlugin(departed(account.plugin()), held);
  }

  /** The rows are still by its resource, and in its units. */
  private static PluginStatus departed(PluginStatus plugin) {
    return plugin == null
        ? null
        : new PluginStatus(
            PluginState.STOPPING,
            "The device plugin has left the node; pods keep their devices until they end",
            plugin.resourceName(),
            plugin.unit(),
            plugin.accelerator());
  }

  /**
   * Writes onto the very account that was decided on.
   *
   * @return false where it is another one by now, since the plugin has come back
   */
  private boolean replace(String name, GpuNodeStatus account, GpuNodeStatus left) {
    var now = client.resources(GpuNode.class).withName(name).get();
    if (now == null || !account(now.statusOrEmpty()).equals(account)) {
      return false;
    }
    try {
      apply(name, now.getMetadata().getResourceVersion(), left, FieldManagers.DEVICE_PLUGIN);
      return true;
    } catch (KubernetesClientException failed) {
      if (failed.getCode() == HttpURLConnection.HTTP_CONFLICT) {
        return false;
      }
      throw failed;
    }
  }

  private void clearMetrics(NodeFacts facts, ComponentStates states) {
    var status = facts.reported();
    boolean metricsReported =
        status.detected() != null
            || !status.devices().isEmpty()
            || facts.reported(ConditionType.ACCELERATOR_FOUND).isPresent();
    boolean wanted = facts.inForce().watched() && facts.nodeLabels().isPresent();
    if (metricsReported && !wanted && !states.isOn(Names.METRICS, facts.name())) {
      apply(facts.name(), null, GpuNodeStatus.EMPTY, FieldManagers.METRICS);
    }
  }

  private boolean isHeld(Allocation allocation) {
    var pod = client.pods().inNamespace(allocation.namespace()).withName(allocation.pod()).get();
    return pod != null
        && pod.getMetadata().getUid().equals(allocation.uid())
        && !ENDED.contains(String.valueOf(pod.getStatus().getPhase()));
  }

  /**
   * @param version to be written onto; null for any
   */
  private void apply(String name, String version, GpuNodeStatus status, String fieldManager) {
    var fresh = new GpuNode();
    fresh.setMetadata(new ObjectMetaBuilder().withName(name).withResourceVersion(version).build());
    fresh.setStatus(status);
    client
        .resource(fresh)
        .subresource("status")
        .patch(
            new PatchContext.Builder()
                .withPatchType(PatchType.SERVER_SIDE_APPLY)
                .withFieldManager(fieldManager)
                .withForce(true)
                .build());
  }
}
