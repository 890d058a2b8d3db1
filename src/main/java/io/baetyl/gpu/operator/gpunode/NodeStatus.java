package io.baetyl.gpu.operator.gpunode;

import static java.util.stream.Collectors.joining;

import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.Component;
import io.baetyl.gpu.api.v1alpha1.Condition;
import io.baetyl.gpu.api.v1alpha1.ConditionType;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.DeviceSummary;
import io.baetyl.gpu.api.v1alpha1.Enforcement;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.api.v1alpha1.Monitoring;
import io.baetyl.gpu.api.v1alpha1.Summary;
import io.baetyl.gpu.model.CardSums;
import io.baetyl.gpu.model.ShareRules;
import io.baetyl.gpu.operator.resolve.Rules;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Decides the operator's part of a GpuNode's status. */
final class NodeStatus {
  private static final Set<String> OWN_CONDITIONS =
      Set.of(
          ConditionType.READY.value(),
          ConditionType.MONITORING_READY.value(),
          ConditionType.ALLOCATION_READY.value());

  private final NodeFacts facts;
  private final String now;

  private NodeStatus(NodeFacts facts, Instant now) {
    this.facts = facts;
    this.now = now.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /** The status as it is to be: the fields of the operator, and no others. */
  static GpuNodeStatus decide(NodeFacts facts, Instant now) {
    return new NodeStatus(facts, now).decide();
  }

  /**
   * Of a status as it is, the fields of the operator. Lists are put in order, since after several
   * applies the API server's order is not always that of the last one.
   */
  static GpuNodeStatus ownPart(GpuNodeStatus status) {
    return new GpuNodeStatus(
        status.conditions().stream()
            .filter(condition -> OWN_CONDITIONS.contains(condition.type()))
            .sorted(Comparator.comparing(Condition::type))
            .toList(),
        status.observedGeneration(),
        status.accelerator(),
        status.allocation(),
        status.shareProfile(),
        status.sharing(),
        inOrder(status.summary()),
        null,
        null,
        null,
        null,
        status.enforcement(),
        status.components().stream().sorted(Comparator.comparing(Component::name)).toList());
  }

  /**
   * A fresh object: server-side apply takes every field that is sent for ours. Other rules are
   * written only onto the GpuNode that they were decided for: meanwhile the device plugin may have
   * said that a pod holds units by those until now.
   */
  static GpuNode toApply(GpuNode gpuNode, GpuNodeStatus decided) {
    var before = gpuNode.statusOrEmpty().sharing();
    boolean changesRules = before != null && !before.equals(decided.sharing());
    var known = gpuNode.getMetadata();
    var fresh = new GpuNode();
    fresh.setMetadata(
        new ObjectMetaBuilder()
            .withName(known.getName())
            .withResourceVersion(changesRules ? known.getResourceVersion() : null)
            .build());
    fresh.setStatus(decided);
    return fresh;
  }

  private static Summary inOrder(Summary summary) {
    return summary == null
        ? null
        : new Summary(
            summary.cards(),
            summary.healthyCards(),
            summary.units(),
            summary.allocatedUnits(),
            summary.freeUnits(),
            summary.largestFreeUnits(),
            summary.devices().stream().sorted(Comparator.comparing(DeviceSummary::id)).toList());
  }

  private GpuNodeStatus decide() {
    var inForce = facts.inForce();
    var rules = inForce.rules().inForce();
    return ownPart(
        new GpuNodeStatus(
            List.of(monitoringReady(), allocationReady(), ready()),
            facts.gpuNode().getMetadata().getGeneration(),
            inForce.type().orElse(null),
            inForce.allocation(),
            rules.map(Rules.Named::profile).orElse(null),
            rules.map(Rules.Named::sharing).orElse(null),
            summary(),
            null,
            null,
            null,
            null,
            inForce.shared() ? Enforcement.NONE : null,
            facts.components().stream().map(NodeStatus::bounded).toList()));
  }

  /** Nothing is summed up before an agent has looked: no cards is a finding too. */
  private Summary summary() {
    var reported = facts.reported();
    if (facts.reported(ConditionType.ACCELERATOR_FOUND).isEmpty()) {
      return null;
    }
    var devices = reported.devices();
    var allocations = reported.allocations();
    return switch (facts.inForce().allocation()) {
      case SHARED ->
          facts
              .inForce()
              .rules()
              .inForce()
              .map(rules -> ShareRules.of(rules.sharing()))
              .map(rules -> CardSums.ofShared(rules, devices, allocations))
              .orElseGet(() -> CardSums.ofNone(devices));
      case DEVICES -> CardSums.ofWhole(devices, allocations);
      case NONE -> CardSums.ofNone(devices);
    };
  }

  private Condition monitoringReady() {
    return condition(
        ConditionType.MONITORING_READY,
        Obstacles.first(Obstacles.TO_MONITORING, facts),
        "Serving",
        "metrics are served");
  }

  private Condition allocationReady() {
    var earlier = facts.heldSinceBefore();
    return condition(
        ConditionType.ALLOCATION_READY,
        allocationObstacle()
            .map(
                found -> new Obstacle(found.reason(), EarlierPods.below(found.message(), earlier))),
        waiting().isPresent() ? WaitingChange.REASON : handingOut(),
        EarlierPods.below(
            (facts.inForce().shared() ? "pods can share the cards" : "pods can have whole devices")
                + waiting().map(why -> "; " + why).orElse(""),
            earlier));
  }

  private String handingOut() {
    return facts.inForce().shared() ? "Sharing" : "HandingOut";
  }

  private Optional<String> waiting() {
    return WaitingChange.message(facts.inForce().rules(), facts.reported());
  }

  private Optional<Obstacle> allocationObstacle() {
    return switch (facts.gpuNode().specOrEmpty().allocationInForce()) {
      case SHARED -> Obstacles.first(SharingObstacles.ALL, facts);
      case DEVICES -> Obstacles.first(WholeDeviceObstacles.ALL, facts);
      case NONE ->
          Optional.of(
              new Obstacle(
                  "NotAskedFor", "spec.allocation is None: no accelerators are handed out"));
    };
  }

  private boolean asksForDevices() {
    return facts.gpuNode().specOrEmpty().allocationInForce() != AllocationMode.NONE;
  }

  /** What was not asked for does not keep the node from being ready. */
  private Condition ready() {
    var obstacle =
        Obstacles.noNode(facts)
            .or(() -> facts.inForce().watched() ? watchObstacle() : Optional.empty())
            .or(
                () ->
                    asksForDevices()
                        ? named(ConditionType.ALLOCATION_READY, allocationObstacle())
                        : Optional.empty())
            .or(() -> Obstacles.outdated(facts));
    return condition(
        ConditionType.READY,
        obstacle,
        waiting().isPresent()
            ? WaitingChange.REASON
            : facts.inForce().plugin().isPresent() ? handingOut() : "Watching",
        cardsMessage() + waiting().map(why -> "; " + why).orElse(""));
  }

  private String cardsMessage() {
    var cards = facts.inForce().watched() ? facts.reported().devices() : List.<Device>of();
    var unhealthy = cards.stream().filter(card -> !card.canBeHandedOut()).toList();
    if (!unhealthy.isEmpty()) {
      return "%d of %d cards healthy: %s"
          .formatted(
              cards.size() - unhealthy.size(),
              cards.size(),
              unhealthy.stream()
                  .map(card -> card.id() + " " + card.healthReason())
                  .collect(joining("; ")));
    }
    if (facts.inForce().shared()) {
      return "the cards are watched and shared; memory is accounted, not enforced";
    }
    if (facts.inForce().plugin().isPresent()) {
      return "the accelerators are watched and handed out whole";
    }
    return facts.inForce().watched()
        ? "the accelerators are watched"
        : "the node is to have no accelerator";
  }

  private Optional<Obstacle> watchObstacle() {
    boolean monitored = facts.gpuNode().specOrEmpty().monitoringInForce() == Monitoring.ENABLED;
    return named(
            ConditionType.MONITORING_READY,
            monitored ? Obstacles.first(Obstacles.TO_MONITORING, facts) : Optional.empty())
        .or(() -> named(ConditionType.ACCELERATOR_FOUND, Obstacles.notReported(facts)))
        .or(
            () ->
                named(
                    ConditionType.ACCELERATOR_FOUND,
                    Obstacles.reportedFalse(facts, ConditionType.ACCELERATOR_FOUND)));
  }

  private static Optional<Obstacle> named(ConditionType part, Optional<Obstacle> obstacle) {
    return obstacle.map(
        found -> new Obstacle(found.reason(), part.value() + ": " + found.message()));
  }

  private Condition condition(
      ConditionType type, Optional<Obstacle> obstacle, String reason, String message) {
    return new Condition(
            type.value(),
            obstacle.isPresent() ? Condition.FALSE : Condition.TRUE,
            obstacle.map(Obstacle::reason).orElse(reason),
            bounded(obstacle.map(Obstacle::message).orElse(message), 4096),
            now,
            facts.gpuNode().getMetadata().getGeneration())
        .since(facts.reported().conditions());
  }

  private static Component bounded(Component component) {
    return new Component(component.name(), component.state(), bounded(component.message(), 1024));
  }

  /** The API server refuses a status with a longer text altogether. */
  private static String bounded(String text, int longest) {
    return text == null || text.length() <= longest ? text : text.substring(0, longest - 1) + "…";
  }
}
