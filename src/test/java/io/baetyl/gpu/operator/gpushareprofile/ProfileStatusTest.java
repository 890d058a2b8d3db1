package io.baetyl.gpu.operator.gpushareprofile;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.Component;
import io.baetyl.gpu.api.v1alpha1.ComponentState;
import io.baetyl.gpu.api.v1alpha1.Condition;
import io.baetyl.gpu.api.v1alpha1.ConditionType;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfile;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileStatus;
import io.baetyl.gpu.api.v1alpha1.Summary;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProfileStatusTest {
  private static final Component RUNS = new Component("runs", ComponentState.RUNNING, null);
  private static final Component WAITS = new Component("extender", ComponentState.PENDING, "wait");
  private static final List<Optional<Summary>> TWO_NODES =
      List.of(
          Optional.of(new Summary(2, 2, 58, 24, 29, 29, null)),
          Optional.of(new Summary(1, 1, 94, 91, 3, 3, null)),
          Optional.empty());

  private static GpuShareProfileStatus decide(
      Optional<String> rival,
      List<Optional<Summary>> nodes,
      Component extender,
      int stranded,
      boolean policies) {
    var profile = new GpuShareProfile();
    profile.setMetadata(new ObjectMetaBuilder().withName("default").withGeneration(1L).build());
    return ProfileStatus.decide(
        new ProfileFacts(profile, rival, nodes, extender, RUNS, stranded, policies),
        Instant.parse("2026-03-01T12:00:00Z"));
  }

  private static Condition condition(GpuShareProfileStatus status, ConditionType type) {
    return Condition.find(status.conditions(), type).orElseThrow();
  }

  @Test
  void nodesAreSummedUpButTheLargestBlockIsOnOneCard() {
    var status = decide(Optional.empty(), TWO_NODES, RUNS, 0, true);

    assertThat(status.nodes()).isEqualTo(3);
    assertThat(status.cards()).isEqualTo(3);
    assertThat(status.units()).isEqualTo(152);
    assertThat(status.allocatedUnits()).isEqualTo(115);
    assertThat(status.freeUnits()).isEqualTo(32);
    assertThat(status.largestFreeUnits()).isEqualTo(29);
    assertThat(status.conditions()).allMatch(Condition::isTrue);
  }

  @Test
  void withoutNodesThereIsNoSchedulerAndNothingAmiss() {
    var status = decide(Optional.empty(), List.of(), WAITS, 0, true);

    assertThat(condition(status, ConditionType.READY).isTrue()).isTrue();
    assertThat(condition(status, ConditionType.SCHEDULER_READY).status()).isEqualTo("Unknown");
  }

  @Test
  void theReadyMessageNamesThePartThatIsNot() {
    var ready = condition(decide(Optional.empty(), TWO_NODES, WAITS, 0, true), ConditionType.READY);

    assertThat(ready.isTrue()).isFalse();
    assertThat(ready.message()).isEqualTo("SchedulerReady: extender: wait");
    assertThat(ready.reason()).isEqualTo("ComponentStarting");
  }

  @Test
  void theYoungerOfTwoWithOneResourceIsNotReady() {
    var ready =
        condition(decide(Optional.of("older"), List.of(), RUNS, 0, true), ConditionType.READY);

    assertThat(ready.reason()).isEqualTo("ResourceNameTaken");
    assertThat(ready.message()).contains("GpuShareProfile older");
  }

  @Test
  void podsOfAnotherSchedulerAreCounted() {
    var scheduler =
        condition(
            decide(Optional.empty(), TWO_NODES, RUNS, 3, true), ConditionType.SCHEDULER_READY);

    assertThat(scheduler.isTrue()).isTrue();
    assertThat(scheduler.message()).contains("made before: 3. Make them anew");
  }

  @Test
  void withoutPoliciesThePodHasToNameTheScheduler() {
    var scheduler =
        condition(
            decide(Optional.empty(), TWO_NODES, RUNS, 0, false), ConditionType.SCHEDULER_READY);

    assertThat(scheduler.message()).contains("schedulerName: baetyl-gpu-scheduler");
  }

  @Test
  void anExtenderThatCannotBeBroughtUpToDateIsTold() {
    var outdated = new Component("extender", ComponentState.RUNNING, "it is forbidden");
    var status = decide(Optional.empty(), TWO_NODES, outdated, 0, true);

    assertThat(condition(status, ConditionType.SCHEDULER_READY).isTrue()).isTrue();
    assertThat(condition(status, ConditionType.READY).message())
        .isEqualTo("extender: it is forbidden");
  }
}
