package io.baetyl.gpu.operator.components;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeSpec;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfile;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileSpec;
import io.baetyl.gpu.operator.apiserver.ControlPlane;
import io.baetyl.gpu.operator.cluster.ClusterView;
import io.baetyl.gpu.operator.config.Blueprints;
import io.baetyl.gpu.operator.config.Settings;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a round makes of a cluster that changes, on a real API server. */
class ComponentsRoundIT {
  private static final String RESOURCE = "baidu.com/vcuda-memory";

  private ControlPlane controlPlane;
  private KubernetesClient operator;
  private ClusterView view;
  private ComponentsRound round;

  @BeforeEach
  void start() {
    controlPlane = ControlPlane.start();
    operator = controlPlane.as("baetyl-gpu-operator");
    startOperator();
  }

  private void startOperator() {
    var settings =
        Settings.of(Map.of("image", "localhost/gpu:1", "scheduler-image", "localhost/scheduler:1"));
    view = new ClusterView(operator, settings);
    view.start();
    var clock = Clock.systemUTC();
    round =
        new ComponentsRound(
            operator,
            view,
            new Blueprints(operator, settings),
            new AdmissionKinds(operator, clock),
            clock,
            Duration.ofHours(1));
  }

  @AfterEach
  void stop() {
    view.stop();
    operator.close();
    controlPlane.close();
  }

  private void offer(int units) {
    offer(units, "True");
  }

  private void offer(int units, String ready) {
    controlPlane
        .admin()
        .resource(
            new NodeBuilder()
                .withNewMetadata()
                .withName("edge-01")
                .endMetadata()
                .withNewStatus()
                .addNewCondition()
                .withType("Ready")
                .withStatus(ready)
                .endCondition()
                .addToAllocatable(RESOURCE, new Quantity(String.valueOf(units)))
                .addToCapacity(RESOURCE, new Quantity(String.valueOf(units)))
                .endStatus()
                .build())
        .subresource("status")
        .patch();
  }

  private void share() {
    Node node = new NodeBuilder().withNewMetadata().withName("edge-01").endMetadata().build();
    controlPlane.admin().resource(node).create();
    offer(29);
    var gpuNode = new GpuNode();
    gpuNode.setMetadata(new ObjectMetaBuilder().withName("edge-01").build());
    gpuNode.setSpec(new GpuNodeSpec(AcceleratorType.NVIDIA, null, AllocationMode.SHARED, null));
    controlPlane.admin().resource(gpuNode).create();
    var profile = new GpuShareProfile();
    profile.setMetadata(new ObjectMetaBuilder().withName("default").build());
    profile.setSpec(new GpuShareProfileSpec(RESOURCE, null, null, null, null, null));
    controlPlane.admin().resource(profile).create();
    awaitSeen(() -> view.gpuNodes().size() == 1 && view.profiles().size() == 1);
    awaitSeen(() -> view.offered().contains(RESOURCE));
    assertThat(round.run(true).troubles().isEmpty()).isTrue();
    awaitSeen(() -> view.deployments().size() == 2);
  }

  private static void awaitSeen(BooleanSupplier seen) {
    await().atMost(Duration.ofSeconds(20)).until(seen::getAsBoolean);
  }

  private boolean schedules() {
    boolean policies =
        !controlPlane
            .admin()
            .genericKubernetesResources(
                "admissionregistration.k8s.io/v1", "MutatingAdmissionPolicyBinding")
            .withLabels(Names.labels(Names.SCHEDULER))
            .list()
            .getItems()
            .isEmpty();
    var names =
        controlPlane.admin().apps().deployments().inNamespace("kube-system").list().getItems();
    assertThat(names).hasSize(policies ? 2 : 0);
    return policies;
  }

  @Test
  void podsAreScheduledAsLongAsANodeOffersUnitsThoughTheProfileIsGone() {
    share();
    controlPlane.admin().resources(GpuShareProfile.class).withName("default").delete();
    awaitSeen(() -> view.profiles().isEmpty());

    var kept = round.run(false);

    assertThat(kept.resources()).containsExactly(RESOURCE);
    assertThat(schedules()).isTrue();

    offer(0);
    awaitSeen(() -> view.offered().isEmpty());
    var gone = round.run(false);

    assertThat(gone.resources()).isEmpty();
    assertThat(schedules()).isFalse();
  }

  @Test
  void aNodeThatIsOffIsNotWaitedFor() {
    share();
    controlPlane.admin().resources(GpuShareProfile.class).withName("default").delete();
    awaitSeen(() -> view.profiles().isEmpty());

    offer(29, "Unknown");
    awaitSeen(() -> view.offered().isEmpty());

    assertThat(round.run(false).resources()).isEmpty();
    assertThat(schedules()).isFalse();
  }

  @Test
  void anOperatorThatStartsAnewKnowsWhatPodsAreScheduledFor() {
    share();
    view.stop();
    controlPlane.admin().resources(GpuNode.class).withName("edge-01").delete();
    controlPlane.admin().resources(GpuShareProfile.class).withName("default").delete();

    startOperator();

    assertThat(round.run(true).resources()).containsExactly(RESOURCE);
    assertThat(schedules()).isTrue();
  }
}
