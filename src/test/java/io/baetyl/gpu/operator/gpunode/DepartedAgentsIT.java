package io.baetyl.gpu.operator.gpunode;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationState;
import io.baetyl.gpu.api.v1alpha1.Component;
import io.baetyl.gpu.api.v1alpha1.ComponentState;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.FieldManagers;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeSpec;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.operator.apiserver.ControlPlane;
import io.baetyl.gpu.operator.components.ComponentStates;
import io.baetyl.gpu.operator.components.Names;
import io.baetyl.gpu.operator.components.Troubles;
import io.baetyl.gpu.operator.resolve.InForce;
import io.baetyl.gpu.operator.resolve.Profiles;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What is left of an agent's report once it is gone: the Kubernetes node is gone in each test. */
class DepartedAgentsIT {
  private static final Component ABSENT =
      new Component("absent", ComponentState.PENDING, "it is not there");
  private static final ComponentStates NO_PODS = states();
  private static ControlPlane controlPlane;
  private static KubernetesClient operator;

  private final String name = "edge-" + UUID.randomUUID();

  @BeforeAll
  static void start() {
    controlPlane = ControlPlane.start();
    operator = controlPlane.as("baetyl-gpu-operator");
  }

  @AfterAll
  static void stop() {
    operator.close();
    controlPlane.close();
  }

  private static ComponentStates states(Pod... pods) {
    return new ComponentStates(List.of(pods), List.of(), Troubles.NONE, Instant.EPOCH);
  }

  private static Pod pod(String phase) {
    var pod =
        controlPlane
            .admin()
            .resource(
                new PodBuilder()
                    .withNewMetadata()
                    .withNamespace("default")
                    .withGenerateName("pod-")
                    .endMetadata()
                    .withNewSpec()
                    .addNewContainer()
                    .withName("app")
                    .withImage("app")
                    .endContainer()
                    .endSpec()
                    .build())
            .create();
    pod.getStatus().setPhase(phase);
    return controlPlane.admin().resource(pod).updateStatus();
  }

  private static Allocation heldBy(Pod pod, String uid) {
    return new Allocation(
        "default",
        pod.getMetadata().getName(),
        "app",
        uid,
        "GPU-1",
        4,
        AllocationState.RUNNING,
        "2026-03-01T12:00:00Z");
  }

  private static Allocation heldBy(Pod pod) {
    return heldBy(pod, pod.getMetadata().getUid());
  }

  private void report(String fieldManager, GpuNodeStatus status) {
    var node = new GpuNode();
    node.setMetadata(new ObjectMetaBuilder().withName(name).build());
    node.setStatus(status);
    controlPlane
        .admin()
        .resource(node)
        .subresource("status")
        .patch(
            new PatchContext.Builder()
                .withPatchType(PatchType.SERVER_SIDE_APPLY)
                .withFieldManager(fieldManager)
                .withForce(true)
                .build());
  }

  private static GpuNodeStatus status(
      Long generation, List<Device> devices, List<Allocation> allocations) {
    return new GpuNodeStatus(
        null,
        generation,
        null,
        null,
        null,
        null,
        null,
        null,
        devices,
        null,
        allocations,
        null,
        null);
  }

  /** A GpuNode on which the operator and both agents have reported. */
  private void reported(Allocation... allocations) {
    var node = new GpuNode();
    node.setMetadata(new ObjectMetaBuilder().withName(name).build());
    node.setSpec(GpuNodeSpec.EMPTY);
    controlPlane.admin().resource(node).create();
    var card = new Device("GPU-1", 0, null, "Tesla P4", 7611L, 187L, 29, Health.HEALTHY, null);
    report(FieldManagers.OPERATOR, status(1L, null, null));
    report(FieldManagers.METRICS, status(null, List.of(card), null));
    report(FieldManagers.DEVICE_PLUGIN, status(null, null, List.of(allocations)));
  }

  private boolean clear(ComponentStates states) {
    var node = controlPlane.admin().resources(GpuNode.class).withName(name).get();
    var inForce = InForce.of(node, Map.of(), new Profiles(List.of()));
    return new DepartedAgents(operator)
        .clear(
            new NodeFacts(
                node, Optional.empty(), inForce, ABSENT, Optional.of(ABSENT), ABSENT, ABSENT),
            states);
  }

  private GpuNodeStatus left() {
    return controlPlane.admin().resources(GpuNode.class).withName(name).get().statusOrEmpty();
  }

  @Test
  void nothingIsLeftWhenNoPodHoldsADevice() {
    reported(heldBy(pod("Running"), "the-uid-of-a-pod-of-that-name-before"));

    assertThat(clear(NO_PODS)).isTrue();
    assertThat(left().devices()).isEmpty();
    assertThat(left().allocations()).isEmpty();
  }

  @Test
  void whatAPodHoldsStaysAndTheRestGoes() {
    reported(heldBy(pod("Running")));

    assertThat(clear(NO_PODS)).isFalse();
    assertThat(left().devices()).isEmpty();
    assertThat(left().allocations()).hasSize(1);
  }

  @Test
  void aPodThatHasEndedHoldsNothing() {
    reported(heldBy(pod("Succeeded")), heldBy(pod("Failed")));

    assertThat(clear(NO_PODS)).isTrue();
    assertThat(left().allocations()).isEmpty();
  }

  @Test
  void anAgentThatIsStillThereSpeaksForItself() {
    reported();
    var agent =
        new PodBuilder()
            .withNewMetadata()
            .withLabels(Names.labels(Names.METRICS))
            .withCreationTimestamp("2026-03-01T12:00:00Z")
            .endMetadata()
            .withNewSpec()
            .withNodeName(name)
            .endSpec()
            .build();

    assertThat(clear(states(agent))).isTrue();
    assertThat(left().devices()).hasSize(1);
  }
}
