package io.baetyl.gpu.operator.refusedpods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.api.v1alpha1.PluginState;
import io.baetyl.gpu.api.v1alpha1.PluginStatus;
import io.baetyl.gpu.operator.apiserver.ControlPlane;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Which failed pods the operator deletes, with its own rights on a real API server. */
class RefusedPodsIT {
  private static final String RESOURCE = "baidu.com/vcuda-memory";
  private static final OwnerReference REPLICA_SET =
      new OwnerReferenceBuilder()
          .withApiVersion("apps/v1")
          .withKind("ReplicaSet")
          .withName("app-5d9c")
          .withUid(UUID.randomUUID().toString())
          .withController(true)
          .build();
  private static ControlPlane controlPlane;
  private static KubernetesClient operator;

  @BeforeAll
  static void start() {
    controlPlane = ControlPlane.start();
    operator = controlPlane.as("baetyl-gpu-operator");
    var running = create(RESOURCE, REPLICA_SET, "Running", null);
    await("the policy is in force")
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> operator.resource(running).dryRun().delete())
                    .hasMessageContaining("the operator deletes pods that have failed only"));
  }

  @AfterAll
  static void stop() {
    controlPlane.close();
  }

  private static Pod create(String resource, OwnerReference owner, String phase, String reason) {
    return create("edge-01", resource, owner, phase, reason);
  }

  private static Pod create(
      String node, String resource, OwnerReference owner, String phase, String reason) {
    var pod =
        controlPlane
            .admin()
            .resource(
                new PodBuilder()
                    .withNewMetadata()
                    .withName("pod-" + UUID.randomUUID())
                    .withOwnerReferences(owner == null ? List.of() : List.of(owner))
                    .endMetadata()
                    .withNewSpec()
                    .withNodeName(node)
                    .addNewContainer()
                    .withName("c")
                    .withImage("app")
                    .withNewResources()
                    .addToLimits(resource, new Quantity("1"))
                    .endResources()
                    .endContainer()
                    .endSpec()
                    .build())
            .create();
    return controlPlane
        .admin()
        .resource(
            new PodBuilder(pod)
                .withNewStatus()
                .withPhase(phase)
                .withReason(reason)
                .withMessage("Pod was rejected: no healthy devices")
                .endStatus()
                .build())
        .updateStatus();
  }

  private static void clearAfter(Duration time) {
    var clock = Clock.offset(Clock.systemUTC(), time);
    new RefusedPods(operator, null, null, clock)
        .clear(List.of(RESOURCE), List.of(handsOut("edge-ascend", "huawei.com/Ascend310")));
  }

  private static GpuNode handsOut(String node, String resource) {
    var gpuNode = new GpuNode();
    gpuNode.setMetadata(new ObjectMetaBuilder().withName(node).build());
    gpuNode.setStatus(
        GpuNodeStatus.ofDevicePlugin(
            new PluginStatus(PluginState.SERVING, null, resource, null, null), List.of()));
    return gpuNode;
  }

  private static boolean isThere(Pod pod) {
    return controlPlane.admin().resource(pod).get() != null;
  }

  @Test
  void aRefusedPodThatItsControllerHasReplacedGoesWithAnEvent() {
    var refused = create(RESOURCE, REPLICA_SET, "Failed", "UnexpectedAdmissionError");

    clearAfter(Duration.ofMinutes(2));

    assertThat(isThere(refused)).isFalse();
    assertThat(controlPlane.admin().v1().events().inNamespace("default").list().getItems())
        .anySatisfy(
            event -> {
              assertThat(event.getInvolvedObject().getName()).isEqualTo("app-5d9c");
              assertThat(event.getMessage())
                  .isEqualTo(
                      "Deleted pod %s, which the kubelet of node edge-01 had refused: Pod was rejected: no healthy devices"
                          .formatted(refused.getMetadata().getName()));
            });
  }

  @Test
  void soDoesOneThatAskedForWholeDevicesOfANodeThatHandsThemOut() {
    var refused =
        create(
            "edge-ascend",
            "huawei.com/Ascend310",
            REPLICA_SET,
            "Failed",
            "UnexpectedAdmissionError");
    var ofAnotherPlugin =
        create(
            "edge-01", "huawei.com/Ascend310", REPLICA_SET, "Failed", "UnexpectedAdmissionError");
    var ofAnotherResource =
        create("edge-ascend", "nvidia.com/gpu", REPLICA_SET, "Failed", "UnexpectedAdmissionError");

    clearAfter(Duration.ofMinutes(2));

    assertThat(isThere(refused)).isFalse();
    assertThat(List.of(ofAnotherPlugin, ofAnotherResource))
        .allSatisfy(pod -> assertThat(isThere(pod)).isTrue());
  }

  @Test
  void othersStay() {
    var bare = create(RESOURCE, null, "Failed", "UnexpectedAdmissionError");
    var ofAnotherResource =
        create("example.com/fpga", REPLICA_SET, "Failed", "UnexpectedAdmissionError");
    var failedByItself = create(RESOURCE, REPLICA_SET, "Failed", "Error");

    clearAfter(Duration.ofMinutes(2));

    assertThat(List.of(bare, ofAnotherResource, failedByItself))
        .allSatisfy(pod -> assertThat(isThere(pod)).isTrue());
    var fresh = create(RESOURCE, REPLICA_SET, "Failed", "UnexpectedAdmissionError");
    clearAfter(Duration.ZERO);
    assertThat(isThere(fresh)).as("somebody may be looking at it").isTrue();
  }

  @Test
  void aPodThatRunsIsNotTheOperatorsToDelete() {
    var running = create(RESOURCE, REPLICA_SET, "Running", null);

    assertThatThrownBy(() -> operator.resource(running).delete())
        .hasMessageContaining("the operator deletes pods that have failed only");
  }
}
