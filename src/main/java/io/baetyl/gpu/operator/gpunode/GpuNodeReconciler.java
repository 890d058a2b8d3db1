package io.baetyl.gpu.operator.gpunode;

import io.baetyl.gpu.api.v1alpha1.Component;
import io.baetyl.gpu.api.v1alpha1.ComponentState;
import io.baetyl.gpu.api.v1alpha1.FieldManagers;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.operator.cluster.ClusterView;
import io.baetyl.gpu.operator.components.ComponentStates;
import io.baetyl.gpu.operator.components.ComponentsLoop;
import io.baetyl.gpu.operator.components.Names;
import io.baetyl.gpu.operator.components.Refusals;
import io.baetyl.gpu.operator.events.ConditionEvents;
import io.baetyl.gpu.operator.events.FailedReconciliation;
import io.baetyl.gpu.operator.events.ObjectEvents;
import io.baetyl.gpu.operator.resolve.InForce;
import io.baetyl.gpu.operator.resolve.Profiles;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.ErrorStatusUpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.MaxReconciliationInterval;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.rate.RateLimited;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.inbound.SimpleInboundEventSource;
import io.javaoperatorsdk.operator.processing.retry.GradualRetry;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Writes the operator's part of each GpuNode's status: observes, decides ({@link NodeStatus},
 * pure), and applies what has changed. What makes the node so, its labels and workloads, is the
 * matter of {@link io.baetyl.gpu.operator.components.ComponentsLoop}.
 */
@ControllerConfiguration(
    name = "gpunode",
    fieldManager = FieldManagers.OPERATOR,
    // The agents write the status, which leaves the generation as it is.
    generationAwareEventProcessing = false,
    maxReconciliationInterval =
        @MaxReconciliationInterval(interval = 10, timeUnit = TimeUnit.MINUTES))
@GradualRetry(
    maxAttempts = Integer.MAX_VALUE,
    initialInterval = 1_000,
    intervalMultiplier = 2,
    maxInterval = 30_000)
// The first change of a burst is looked at at once, the rest of it together.
@RateLimited(maxReconciliations = 1, within = 500, unit = TimeUnit.MILLISECONDS)
public final class GpuNodeReconciler implements Reconciler<GpuNode> {
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(30);

  private final ClusterView cluster;
  private final ComponentsLoop components;
  private final Refusals refusals;
  private final DepartedAgents departedAgents;
  private final ObjectEvents events;
  private final ConditionEvents conditionEvents;
  private final Clock clock;
  private final SimpleInboundEventSource<GpuNode> changes =
      new SimpleInboundEventSource<>("cluster");

  public GpuNodeReconciler(
      KubernetesClient client, ClusterView cluster, ComponentsLoop components, Clock clock) {
    this.cluster = cluster;
    this.components = components;
    this.refusals = new Refusals(client, clock);
    this.departedAgents = new DepartedAgents(client);
    this.events = new ObjectEvents(client, clock);
    this.conditionEvents = new ConditionEvents(events);
    this.clock = clock;
  }

  @Override
  public List<EventSource<?, GpuNode>> prepareEventSources(EventSourceContext<GpuNode> context) {
    cluster.onChange(changed -> concernedBy(changed).forEach(this::wake));
    components.onTroubles(() -> allNodes().forEach(this::wake));
    return List.of(changes);
  }

  private void wake(String gpuNode) {
    changes.propagateEvent(new ResourceID(gpuNode));
  }

  /** The GpuNodes that a change can matter to; their own changes the SDK sees by itself. */
  private Stream<String> concernedBy(HasMetadata changed) {
    return switch (changed) {
      case GpuNode _ -> Stream.empty();
      case Node node -> Stream.of(node.getMetadata().getName());
      case Pod pod when Names.isNodeAgent(pod) -> ComponentStates.nodeOf(pod).stream();
      // Where the agent has its pod, that pod tells all.
      case DaemonSet agent -> {
        var served = states().nodesWith(agent.getMetadata().getName());
        yield allNodes().filter(node -> !served.contains(node));
      }
      default -> allNodes();
    };
  }

  private Stream<String> allNodes() {
    return cluster.gpuNodes().stream().map(node -> node.getMetadata().getName());
  }

  @Override
  public ErrorStatusUpdateControl<GpuNode> updateErrorStatus(
      GpuNode gpuNode, Context<GpuNode> context, Exception failure) {
    return FailedReconciliation.tell(gpuNode, failure);
  }

  @Override
  public UpdateControl<GpuNode> reconcile(GpuNode gpuNode, Context<GpuNode> context) {
    var facts = observe(gpuNode);
    var decided = NodeStatus.decide(facts, clock.instant());
    if (!decided.equals(NodeStatus.ownPart(gpuNode.statusOrEmpty()))) {
      context
          .resourceOperations()
          .serverSideApplyPrimaryStatus(NodeStatus.toApply(gpuNode, decided));
      tellChanges(gpuNode, decided);
    }
    boolean cleared = departedAgents.clear(facts, states());
    return cleared && !waits(facts)
        ? UpdateControl.noUpdate()
        : UpdateControl.<GpuNode>noUpdate().rescheduleAfter(LOOK_AGAIN);
  }

  private void tellChanges(GpuNode gpuNode, GpuNodeStatus decided) {
    var before = gpuNode.statusOrEmpty();
    conditionEvents.onChange(gpuNode, before.conditions(), decided.conditions());
    if (decided.summary() != null) {
      CardEvent.since(before.summary(), before.devices())
          .forEach(event -> events.write(gpuNode, event.type(), event.reason(), event.message()));
    }
  }

  /** Whether something may become worse by time alone. */
  private static boolean waits(NodeFacts facts) {
    return facts.components().stream()
        .anyMatch(component -> component.state() == ComponentState.PENDING);
  }

  private NodeFacts observe(GpuNode gpuNode) {
    var name = gpuNode.getMetadata().getName();
    var labels = cluster.labelsOf(name);
    var states = states();
    var inForce = InForce.of(gpuNode, labels.orElse(Map.of()), new Profiles(cluster.profiles()));
    return new NodeFacts(
        gpuNode,
        labels,
        inForce,
        agent(states, Names.METRICS, name),
        inForce.plugin().map(kind -> agent(states, Names.of(kind), name)),
        states.once(Names.EXTENDER),
        states.once(Names.SCHEDULER));
  }

  private Component agent(ComponentStates states, String name, String node) {
    var refusal =
        states.isOn(name, node)
            ? Optional.<String>empty()
            : refusals.of(name, cluster.daemonSets());
    return states.onNode(name, node, refusal);
  }

  private ComponentStates states() {
    return new ComponentStates(
        cluster.pods(), cluster.deployments(), components.troubles(), clock.instant());
  }
}
