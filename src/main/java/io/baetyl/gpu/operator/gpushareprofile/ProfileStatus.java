package io.baetyl.gpu.operator.gpushareprofile;

import io.baetyl.gpu.api.v1alpha1.Component;
import io.baetyl.gpu.api.v1alpha1.ComponentState;
import io.baetyl.gpu.api.v1alpha1.Condition;
import io.baetyl.gpu.api.v1alpha1.ConditionType;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileStatus;
import io.baetyl.gpu.api.v1alpha1.Summary;
import io.baetyl.gpu.operator.events.StartReasons;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** Decides the status of a profile. */
final class ProfileStatus {
  private final ProfileFacts facts;
  private final String now;

  private ProfileStatus(ProfileFacts facts, Instant now) {
    this.facts = facts;
    this.now = now.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  static GpuShareProfileStatus decide(ProfileFacts facts, Instant now) {
    return new ProfileStatus(facts, now).decide();
  }

  private GpuShareProfileStatus decide() {
    var scheduler = schedulerReady();
    return new GpuShareProfileStatus(
        List.of(ready(scheduler), scheduler),
        facts.profile().getMetadata().getGeneration(),
        facts.profile().specOrEmpty().resourceNameInForce(),
        facts.profile().specOrEmpty().unitInForce(),
        facts.profile().specOrEmpty().placementInForce(),
        facts.nodes().size(),
        sum(Summary::cards),
        sum(Summary::units),
        sum(Summary::allocatedUnits),
        sum(Summary::freeUnits),
        figures(Summary::largestFreeUnits).max(Integer::compare).orElse(0));
  }

  private Stream<Integer> figures(Function<Summary, Integer> figure) {
    return facts.nodes().stream().flatMap(Optional::stream).map(figure).filter(Objects::nonNull);
  }

  private int sum(Function<Summary, Integer> figure) {
    return figures(figure).mapToInt(Integer::intValue).sum();
  }

  private Condition schedulerReady() {
    if (facts.nodes().isEmpty()) {
      return condition(
          ConditionType.SCHEDULER_READY,
          Condition.UNKNOWN,
          "NotInUse",
          "the scheduler comes with the first node that shares by this profile");
    }
    return Stream.of(facts.extender(), facts.scheduler())
        .filter(component -> component.state() != ComponentState.RUNNING)
        .findFirst()
        .map(
            component ->
                condition(
                    ConditionType.SCHEDULER_READY,
                    Condition.FALSE,
                    component.state() == ComponentState.PENDING
                        ? StartReasons.COMPONENT
                        : "ComponentNotReady",
                    sentence(component)))
        .orElseGet(
            () ->
                condition(
                    ConditionType.SCHEDULER_READY,
                    Condition.TRUE,
                    "Dedicated",
                    schedulerMessage()));
  }

  private String schedulerMessage() {
    var scheduled =
        facts.schedulerNameIsSet()
            ? "pods that ask for the resource are scheduled by baetyl-gpu-scheduler"
            : "this API server cannot change pods by policy: set schedulerName: baetyl-gpu-scheduler in pods that ask for the resource";
    return facts.strandedPods() == 0
        ? scheduled
        : scheduled
            + "; pods that wait for another scheduler, since they were made before: %d. Make them anew"
                .formatted(facts.strandedPods());
  }

  private Optional<Component> outdated() {
    return Stream.of(facts.extender(), facts.scheduler())
        .filter(component -> component.state() == ComponentState.RUNNING)
        .filter(component -> component.message() != null)
        .findFirst();
  }

  private static String sentence(Component component) {
    return component.name() + ": " + component.message();
  }

  private Condition ready(Condition scheduler) {
    if (facts.rival().isPresent()) {
      return condition(
          ConditionType.READY,
          Condition.FALSE,
          "ResourceNameTaken",
          "GpuShareProfile %s has the same resourceName and was there before: make this one anew with a resourceName of its own"
              .formatted(facts.rival().get()));
    }
    if (Condition.FALSE.equals(scheduler.status())) {
      return condition(
          ConditionType.READY,
          Condition.FALSE,
          scheduler.reason(),
          scheduler.type() + ": " + scheduler.message());
    }
    var outdated = outdated();
    if (!facts.nodes().isEmpty() && outdated.isPresent()) {
      return condition(
          ConditionType.READY, Condition.FALSE, "ComponentOutdated", sentence(outdated.get()));
    }
    return facts.nodes().isEmpty()
        ? condition(
            ConditionType.READY, Condition.TRUE, "NotInUse", "no node shares by this profile")
        : condition(ConditionType.READY, Condition.TRUE, "InUse", "nodes share by this profile");
  }

  private Condition condition(ConditionType type, String status, String reason, String message) {
    return new Condition(
            type.value(),
            status,
            reason,
            message,
            now,
            facts.profile().getMetadata().getGeneration())
        .since(facts.profile().statusOrEmpty().conditions());
  }
}
