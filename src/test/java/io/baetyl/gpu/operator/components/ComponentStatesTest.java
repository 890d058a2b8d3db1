package io.baetyl.gpu.operator.components;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.Component;
import io.baetyl.gpu.api.v1alpha1.ComponentState;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ComponentStatesTest {
  private static final Instant NOW = Instant.parse(AgentPods.STARTED);

  private static ComponentStates states(Troubles troubles, Pod... pods) {
    return new ComponentStates(List.of(pods), List.of(), troubles, NOW);
  }

  private static ComponentStates states(Deployment deployment, Pod... pods) {
    return new ComponentStates(List.of(pods), List.of(deployment), Troubles.NONE, NOW);
  }

  private static Component metricsOn(String node, ComponentStates states) {
    return states.onNode(Names.METRICS, node, Optional.empty());
  }

  /** A Deployment of generation 2 of which this generation is observed and so many pods serve. */
  private static DeploymentBuilder extender(long observed, int available) {
    return new DeploymentBuilder()
        .withNewMetadata()
        .withName(Names.EXTENDER)
        .withGeneration(2L)
        .endMetadata()
        .withNewStatus()
        .withObservedGeneration(observed)
        .withUpdatedReplicas(available)
        .withAvailableReplicas(available)
        .endStatus();
  }

  @Test
  void aPodOfAnotherNodeOrComponentDoesNotCount() {
    var states =
        states(
            Troubles.NONE,
            AgentPods.ready(Names.METRICS, "edge-02"),
            AgentPods.ready(Names.of(AgentPods.PLUGIN), "edge-01"));

    assertThat(metricsOn("edge-01", states).state()).isEqualTo(ComponentState.PENDING);
    assertThat(metricsOn("edge-02", states).state()).isEqualTo(ComponentState.RUNNING);
    assertThat(states.nodesWith(Names.METRICS)).containsExactly("edge-02");
  }

  @Test
  void aPodThatIsNotScheduledYetIsOfTheNodeInItsAffinity() {
    var pod =
        new PodBuilder(AgentPods.onNode(Names.METRICS, null).build())
            .editSpec()
            .withNewAffinity()
            .withNewNodeAffinity()
            .withNewRequiredDuringSchedulingIgnoredDuringExecution()
            .addNewNodeSelectorTerm()
            .addNewMatchField()
            .withKey("metadata.name")
            .withOperator("In")
            .withValues("edge-01")
            .endMatchField()
            .endNodeSelectorTerm()
            .endRequiredDuringSchedulingIgnoredDuringExecution()
            .endNodeAffinity()
            .endAffinity()
            .endSpec()
            .build();

    assertThat(ComponentStates.nodeOf(pod)).contains("edge-01");
    assertThat(states(Troubles.NONE, pod).isOn(Names.METRICS, "edge-01")).isTrue();
  }

  @Test
  void theNewPodCountsAndNotTheOneThatLeaves() {
    var leaving =
        new PodBuilder(AgentPods.ready(Names.METRICS, "edge-01"))
            .editMetadata()
            .withCreationTimestamp("2026-03-01T13:00:00Z")
            .withDeletionTimestamp("2026-03-01T13:00:01Z")
            .endMetadata()
            .build();
    var states = states(Troubles.NONE, leaving, AgentPods.ready(Names.METRICS, "edge-01"));

    assertThat(metricsOn("edge-01", states).state()).isEqualTo(ComponentState.RUNNING);
  }

  @Test
  void whatTheApiServerRefusesIsToldWhereThereIsNoPod() {
    var component =
        states(Troubles.NONE)
            .onNode(Names.METRICS, "edge-01", Optional.of("its pods are refused: no"));

    assertThat(component)
        .isEqualTo(new Component(Names.METRICS, ComponentState.FAILED, "its pods are refused: no"));
  }

  @Test
  void whatTheOperatorCouldNotDoIsToldOfWhatRunsToo() {
    var troubles = new Troubles(Map.of(Names.METRICS, "it is forbidden"), Map.of());

    var running = metricsOn("edge-01", states(troubles, AgentPods.ready(Names.METRICS, "edge-01")));
    var absent = metricsOn("edge-01", states(troubles));

    assertThat(running.state()).isEqualTo(ComponentState.RUNNING);
    assertThat(running.message()).contains("cannot be brought up to date: it is forbidden");
    assertThat(absent.state()).isEqualTo(ComponentState.FAILED);
    assertThat(absent.message()).contains("cannot be deployed: it is forbidden");
  }

  @Test
  void aNodeThatCannotBeLabelledIsToldOnThatNodeOnly() {
    var states = states(new Troubles(Map.of(), Map.of("edge-01", "it is forbidden")));

    assertThat(metricsOn("edge-01", states).message())
        .contains("the node cannot be labelled: it is forbidden");
    assertThat(metricsOn("edge-02", states).message()).doesNotContain("forbidden");
  }

  @Test
  void aDeploymentRunsOnceItsNewestGenerationIsAvailable() {
    assertThat(states(extender(2, 1).build()).once(Names.EXTENDER).state())
        .isEqualTo(ComponentState.RUNNING);
    assertThat(states(extender(1, 1).build()).once(Names.EXTENDER).state())
        .isEqualTo(ComponentState.PENDING);
    assertThat(states(extender(2, 0).build()).once(Names.EXTENDER).state())
        .isEqualTo(ComponentState.PENDING);
  }

  @Test
  void aDeploymentWithoutAPodSaysWhyItIsRefused() {
    var refused =
        extender(2, 0)
            .editStatus()
            .addNewCondition()
            .withType("ReplicaFailure")
            .withMessage("pods \"x-1\" is forbidden: exceeded quota")
            .endCondition()
            .endStatus()
            .build();

    var component = states(refused).once(Names.EXTENDER);

    assertThat(component.state()).isEqualTo(ComponentState.FAILED);
    assertThat(component.message())
        .isEqualTo("its pods are refused: the pod is forbidden: exceeded quota");
  }
}
