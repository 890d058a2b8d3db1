package io.baetyl.gpu.operator.gpunode;

import io.baetyl.gpu.accelerator.Vendors;
import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.Component;
import io.baetyl.gpu.api.v1alpha1.ComponentState;
import io.baetyl.gpu.api.v1alpha1.Condition;
import io.baetyl.gpu.api.v1alpha1.ConditionType;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.api.v1alpha1.Sharing;
import io.baetyl.gpu.operator.resolve.InForce;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All that a GpuNode's status is derived from.
 *
 * @param gpuNode with the spec, and with what the agents have reported in the status
 * @param nodeLabels the labels of the Kubernetes node; empty where there is no such node
 * @param inForce what the spec comes to
 * @param metrics the metrics agent on the node
 * @param devicePlugin the device plugin on the node; empty where nothing is handed out
 * @param extender the scheduler extender
 * @param scheduler the second kube-scheduler
 */
record NodeFacts(
    GpuNode gpuNode,
    Optional<Map<String, String>> nodeLabels,
    InForce inForce,
    Component metrics,
    Optional<Component> devicePlugin,
    Component extender,
    Component scheduler) {

  String name() {
    return gpuNode.getMetadata().getName();
  }

  GpuNodeStatus reported() {
    return gpuNode.statusOrEmpty();
  }

  Optional<Condition> reported(ConditionType type) {
    return Condition.find(reported().conditions(), type);
  }

  /** The components that serve the node, in the order in which they depend on each other. */
  List<Component> components() {
    var components = new ArrayList<Component>();
    if (nodeLabels.isPresent() && inForce.watched()) {
      components.add(metrics);
    }
    if (nodeLabels.isPresent()) {
      devicePlugin.ifPresent(components::add);
      if (inForce.shared() && inForce.rules().inForce().isPresent()) {
        components.add(extender);
        components.add(scheduler);
      }
    }
    return components;
  }

  /** The extended resource that is to be handed out; empty where nothing is, or not yet. */
  Optional<String> resourceName() {
    return switch (inForce.allocation()) {
      case NONE -> Optional.empty();
      case SHARED -> Optional.ofNullable(reported().sharingAsCounted()).map(Sharing::resourceName);
      case DEVICES ->
          inForce
              .type()
              .flatMap(Vendors::requirements)
              .map(requirements -> requirements.resourceName(reported().devices()));
    };
  }

  /** What pods hold since before the type or allocation was changed. */
  List<Allocation> heldSinceBefore() {
    return inForce
        .plugin()
        .flatMap(
            kind ->
                resourceName()
                    // Not in the status yet where the rules are decided on only now.
                    .or(
                        () ->
                            inForce.rules().inForce().map(rules -> rules.sharing().resourceName()))
                    .map(resource -> reported().heldByOthersThan(resource, kind.type())))
        .orElse(reported().allocations());
  }

  static boolean runs(Component component) {
    return component.state() == ComponentState.RUNNING;
  }
}
