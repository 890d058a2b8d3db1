package io.baetyl.gpu.operator.components;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.Component;
import io.baetyl.gpu.api.v1alpha1.ComponentState;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class PodTroubleTest {

  private static Component after(Duration time, Pod pod) {
    return PodTrouble.of("plugin", pod, Instant.parse(AgentPods.STARTED).plus(time));
  }

  private static Component atOnce(Pod pod) {
    return after(Duration.ZERO, pod);
  }

  private static void assertState(Component component, ComponentState state, String message) {
    assertThat(component.state()).isEqualTo(state);
    assertThat(component.message()).contains(message);
  }

  @Test
  void aReadyPodHasNone() {
    assertThat(atOnce(AgentPods.ready(Names.of(AgentPods.PLUGIN), "edge-01")))
        .isEqualTo(new Component("plugin", ComponentState.RUNNING, null));
  }

  @Test
  void aReadyPodThatIsBeingDeletedDoesNotCount() {
    var leaving =
        new PodBuilder(AgentPods.ready(Names.of(AgentPods.PLUGIN), "edge-01"))
            .editMetadata()
            .withDeletionTimestamp(AgentPods.STARTED)
            .endMetadata()
            .build();

    assertState(atOnce(leaving), ComponentState.PENDING, "about to end");
  }

  @Test
  void aNodeThatIsLostIsNamed() {
    var pod = AgentPods.ready(Names.of(AgentPods.PLUGIN), "edge-01");
    pod.getStatus()
        .setConditions(
            List.of(
                new PodConditionBuilder().withType("Ready").withStatus("False").build(),
                new PodConditionBuilder().withType("ContainersReady").withStatus("True").build()));

    assertState(
        atOnce(pod),
        ComponentState.PENDING,
        "its node does not answer, or has only just come back: see kubectl describe node edge-01");
  }

  @Test
  void anImageThatCannotBePulledIsNamedWithTheSettings() {
    assertState(
        atOnce(AgentPods.waiting("ImagePullBackOff", "Back-off 10s pulling")),
        ComponentState.FAILED,
        "the image registry.local/gpu:7 cannot be pulled");
  }

  @Test
  void aContainerThatKeepsEndingIsToldWithItsExitCode() {
    var pod = AgentPods.waiting("CrashLoopBackOff", "back-off 40s restarting");
    pod.getStatus()
        .getContainerStatuses()
        .getFirst()
        .setLastState(
            new ContainerStateBuilder()
                .withNewTerminated()
                .withExitCode(3)
                .endTerminated()
                .build());

    assertState(
        atOnce(pod),
        ComponentState.FAILED,
        "keeps ending with exit code 3: see kubectl logs -n kube-system");
  }

  @Test
  void aContainerThatIsNotCreatedWithinAMinuteIsToldWithWhereToLook() {
    var pod = AgentPods.waiting("ContainerCreating", null);

    assertState(after(Duration.ofSeconds(60), pod), ComponentState.PENDING, "its pod is starting");
    assertState(
        after(Duration.ofSeconds(61), pod),
        ComponentState.PENDING,
        "kubectl describe pod -n kube-system " + Names.of(AgentPods.PLUGIN) + "-x");
    assertThat(after(Duration.ofSeconds(61), pod).message())
        .contains("GPU_KUBELET_DIR")
        .as("words that stay the same do not make a new condition")
        .isEqualTo(after(Duration.ofMinutes(5), pod).message());
  }

  @Test
  void aStartThatLastsHasFailed() {
    var pod = AgentPods.onNode(Names.EXTENDER, "edge-01").build();

    assertState(after(Duration.ofMinutes(2), pod), ComponentState.PENDING, "its pod is starting");
    assertState(
        after(Duration.ofSeconds(121), pod),
        ComponentState.FAILED,
        "kubectl describe pod -n kube-system " + Names.EXTENDER + "-x");
  }

  @Test
  void aPodThatHasLongBeenReadyMayStartAgain() {
    var pod = AgentPods.ready(Names.EXTENDER, "edge-01");
    var condition = pod.getStatus().getConditions().getFirst();
    condition.setStatus("False");
    condition.setLastTransitionTime(
        Instant.parse(AgentPods.STARTED).plus(Duration.ofHours(1)).toString());

    assertThat(after(Duration.ofMinutes(62), pod).state()).isEqualTo(ComponentState.PENDING);
    assertThat(after(Duration.ofMinutes(63), pod).state()).isEqualTo(ComponentState.FAILED);
  }

  @Test
  void aPodThatFitsNoNodeIsToldInTheSchedulersWords() {
    var pod =
        AgentPods.onNode(Names.EXTENDER, null)
            .editStatus()
            .addNewCondition()
            .withType("PodScheduled")
            .withStatus("False")
            .withMessage("0/1 nodes are available: 1 Insufficient memory.")
            .endCondition()
            .endStatus()
            .build();

    assertState(atOnce(pod), ComponentState.PENDING, "1 Insufficient memory");
  }
}
