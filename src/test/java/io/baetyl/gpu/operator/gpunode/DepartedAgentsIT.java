package io.baetyl.gpu.operator.gpunode;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.AllocationState;
import io.baetyl.gpu.api.v1alpha1.Component;
import io.baetyl.gpu.api.v1alpha1.ComponentState;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.FieldManagers;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeSpec;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.api.v1alpha1.PluginState;
import io.baetyl.gpu.api.v1alpha1.PluginStatus;
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

/** What is left of an agent's report once it is gone. */
class DepartedAgentsIT {
  private static final Component ABSENT =
      new Component("absent", ComponentState.PENDING, "it is not there");
  private static final ComponentStates NO_PODS = states();
  private static final PluginStatus SERVING =
      new PluginStatus(PluginState.SERVING, null, "nvidia.com/gpu", null, AcceleratorType.NVIDIA);
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

  private static GpuNodeStatus observed() {
    return new GpuNodeStatus(
        null, 1L, null, null, null, null, null, null, null, null, null, null, null);
  }

  private void reported(Allocation... allocations) {
    reported(GpuNodeSpec.EMPTY, allocations);
  }

  /** A GpuNode on which the operator and both agents have reported; it has an NVIDIA card. */
  private void reported(GpuNodeSpec spec, Allocation... allocations) {
    var node = new GpuNode();
    node.setMetadata(new ObjectMetaBuilder().withName(name).build());
    node.setSpec(spec);
    controlPlane.admin().resource(node).create();
    var card = new Device("GPU-1", 0, null, "Tesla P4", 7611L, 187L, 29, Health.HEALTHY, null);
    report(FieldManagers.OPERATOR, observed());
    report(
        FieldManagers.METRICS,
        GpuNodeStatus.ofMetricsAgent(List.of(), AcceleratorType.NVIDIA, List.of(card)));
    report(
        FieldManagers.DEVICE_PLUGIN, GpuNodeStatus.ofDevicePlugin(SERVING, List.of(allocations)));
  }

  private static GpuNodeSpec wholeDevices(AcceleratorType type) {
    return new GpuNodeSpec(type, null, AllocationMode.DEVICES, null);
  }

  private Pod agent(String component) {
    return new PodBuilder()
        .withNewMetadata()
        .withLabels(Names.labels(component))
        .withCreationTimestamp("2026-03-01T12:00:00Z")
        .endMetadata()
        .withNewSpec()
        .withNodeName(name)
        .endSpec()
        .build();
  }

  private GpuNode gpuNode() {
    return controlPlane.admin().resources(GpuNode.class).withName(name).get();
  }

  /** As of a Kubernetes node that is gone. */
  private boolean clear(ComponentStates states) {
    return clear(gpuNode(), Optional.empty(), states);
  }

  /** As of a Kubernetes node that is there. */
  private boolean clearOnNode(ComponentStates states) {
    return clear(gpuNode(), Optional.of(Map.of()), states);
  }

  private static boolean clear(
      GpuNode seen, Optional<Map<String, String>> labels, ComponentStates states) {
    var inForce = InForce.of(seen, Map.of(), new Profiles(List.of()));
    return new DepartedAgents(operator)
        .clear(
            new NodeFacts(seen, labels, inForce, ABSENT, Optional.of(ABSENT), ABSENT, ABSENT),
            states);
  }

  private GpuNodeStatus left() {
    return gpuNode().statusOrEmpty();
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

    assertThat(clear(states(agent(Names.METRICS)))).isTrue();
    assertThat(left().devices()).hasSize(1);
  }

  @Test
  void ofTwoPodsTheRowOfTheOneThatHasEndedGoes() {
    var runs = pod("Running");
    reported(heldBy(runs), heldBy(pod("Succeeded")));

    assertThat(clear(NO_PODS)).isFalse();
    assertThat(left().allocations()).containsExactly(heldBy(runs));
  }

  @Test
  void aPluginThatIsGoneDoesNotServeThoughAPodHoldsItsDevices() {
    reported(wholeDevices(AcceleratorType.NONE), heldBy(pod("Running")));

    assertThat(clearOnNode(NO_PODS)).isFalse();

    assertThat(left().plugin().state()).isEqualTo(PluginState.STOPPING);
    assertThat(left().plugin().message()).contains("has left the node");
    assertThat(left().plugin().resourceName()).isEqualTo("nvidia.com/gpu");
    assertThat(left().plugin().accelerator()).isEqualTo(AcceleratorType.NVIDIA);

    var written = gpuNode().getMetadata().getResourceVersion();
    assertThat(clearOnNode(NO_PODS)).isFalse();
    assertThat(gpuNode().getMetadata().getResourceVersion()).as("nothing new").isEqualTo(written);
  }

  /** Its own plugin has nothing to hand out there, or cannot even be scheduled. */
  @Test
  void onANodeOfAWrongTypeNobodyTakesTheAccountOver() {
    reported(wholeDevices(AcceleratorType.ASCEND), heldBy(pod("Running")));
    var ascend = states(agent("baetyl-accelerator-device-plugin-ascend"));

    assertThat(clearOnNode(ascend)).isFalse();
    assertThat(left().plugin().state()).isEqualTo(PluginState.STOPPING);
    assertThat(left().allocations()).hasSize(1);
    controlPlane
        .admin()
        .pods()
        .inNamespace("default")
        .withName(left().allocations().getFirst().pod())
        .withGracePeriod(0)
        .delete();

    assertThat(clearOnNode(ascend)).isTrue();
    assertThat(left().plugin()).isNull();
    assertThat(left().allocations()).isEmpty();
  }

  @Test
  void aPluginThatIsOnItsWayOutStillSpeaksForItself() {
    reported(wholeDevices(AcceleratorType.ASCEND));

    clearOnNode(
        states(
            agent("baetyl-accelerator-device-plugin-nvidia"),
            agent("baetyl-accelerator-device-plugin-ascend")));

    assertThat(left().plugin()).isEqualTo(SERVING);
  }

  /** It may be evicted, by a taint that it does not tolerate, say. */
  @Test
  void theAccountOfAPluginThatIsToBeThereStays() {
    reported(wholeDevices(AcceleratorType.NVIDIA), heldBy(pod("Succeeded")));

    assertThat(clearOnNode(NO_PODS)).isTrue();
    assertThat(left().plugin()).isEqualTo(SERVING);
    assertThat(left().allocations()).hasSize(1);
  }

  /** Pods that the API server has forgotten may have processes; the next plugin looks for them. */
  @Test
  void theAccountStaysForThePluginThatComesInItsPlace() {
    reported(wholeDevices(null), heldBy(pod("Succeeded")));
    report(
        FieldManagers.DEVICE_PLUGIN,
        GpuNodeStatus.ofDevicePlugin(
            new PluginStatus(
                PluginState.SERVING,
                null,
                "baidu.com/vcuda-memory",
                "256Mi",
                AcceleratorType.NVIDIA),
            left().allocations()));

    assertThat(clearOnNode(NO_PODS)).isTrue();
    assertThat(left().allocations()).hasSize(1);
  }

  /** The plugin may have come back since the GpuNode was seen. */
  @Test
  void anAccountThatIsAnotherByNowStays() {
    reported(wholeDevices(AcceleratorType.NONE));
    var seen = gpuNode();
    var row = heldBy(pod("Running"));
    report(FieldManagers.DEVICE_PLUGIN, GpuNodeStatus.ofDevicePlugin(SERVING, List.of(row)));

    assertThat(clear(seen, Optional.of(Map.of()), NO_PODS)).isFalse();

    assertThat(left().plugin()).isEqualTo(SERVING);
    assertThat(left().allocations()).containsExactly(row);
  }
}
