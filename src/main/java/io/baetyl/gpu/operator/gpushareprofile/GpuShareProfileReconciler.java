package io.baetyl.gpu.operator.gpushareprofile;

import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.FieldManagers;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfile;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileStatus;
import io.baetyl.gpu.operator.cluster.ClusterView;
import io.baetyl.gpu.operator.components.AdmissionKinds;
import io.baetyl.gpu.operator.components.ComponentStates;
import io.baetyl.gpu.operator.components.ComponentsLoop;
import io.baetyl.gpu.operator.components.Names;
import io.baetyl.gpu.operator.events.ConditionEvents;
import io.baetyl.gpu.operator.events.FailedReconciliation;
import io.baetyl.gpu.operator.events.ObjectEvents;
import io.baetyl.gpu.operator.resolve.InForce;
import io.baetyl.gpu.operator.resolve.Profiles;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Writes the status of each GpuShareProfile: observes, decides ({@link ProfileStatus}, pure),
 * applies.
 */
@ControllerConfiguration(
    name = "gpushareprofile",
    fieldManager = FieldManagers.OPERATOR,
    maxReconciliationInterval =
        @MaxReconciliationInterval(interval = 10, timeUnit = TimeUnit.MINUTES))
@GradualRetry(
    maxAttempts = Integer.MAX_VALUE,
    initialInterval = 1_000,
    intervalMultiplier = 2,
    maxInterval = 30_000)
// The first change of a burst is looked at at once, the rest of it together.
@RateLimited(maxReconciliations = 1, within = 500, unit = TimeUnit.MILLISECONDS)
public final class GpuShareProfileReconciler implements Reconciler<GpuShareProfile> {
  private final ClusterView cluster;
  private final ComponentsLoop components;
  private final AdmissionKinds kinds;
  private final ConditionEvents events;
  private final StrandedPods strandedPods;
  private final Clock clock;
  private final SimpleInboundEventSource<GpuShareProfile> changes =
      new SimpleInboundEventSource<>("cluster");

  public GpuShareProfileReconciler(
      KubernetesClient client,
      ClusterView cluster,
      ComponentsLoop components,
      AdmissionKinds kinds,
      Clock clock) {
    this.cluster = cluster;
    this.components = components;
    this.kinds = kinds;
    this.events = new ConditionEvents(new ObjectEvents(client, clock));
    this.strandedPods = new StrandedPods(client, clock);
    this.clock = clock;
  }

  @Override
  public List<EventSource<?, GpuShareProfile>> prepareEventSources(
      EventSourceContext<GpuShareProfile> context) {
    cluster.onChange(
        changed -> {
          if (matters(changed)) {
            wakeAll();
          }
        });
    components.onTroubles(this::wakeAll);
    return List.of(changes);
  }

  /** Whether a change can matter to a profile; there are few profiles, so to all of them. */
  private boolean matters(HasMetadata changed) {
    return switch (changed) {
      case GpuNode node -> shares(node);
      case Node node ->
          cluster
              .gpuNode(node.getMetadata().getName())
              .filter(GpuShareProfileReconciler::shares)
              .isPresent();
      case Pod pod -> !Names.isNodeAgent(pod);
      case DaemonSet _ -> false;
      default -> true;
    };
  }

  /** Whether a node is to share, or has shared until now. */
  private static boolean shares(GpuNode node) {
    return node.specOrEmpty().allocationInForce() == AllocationMode.SHARED
        || node.statusOrEmpty().shareProfile() != null;
  }

  private void wakeAll() {
    cluster
        .profiles()
        .forEach(
            profile -> changes.propagateEvent(new ResourceID(profile.getMetadata().getName())));
  }

  @Override
  public UpdateControl<GpuShareProfile> reconcile(
      GpuShareProfile profile, Context<GpuShareProfile> context) {
    var facts = observe(profile);
    var decided = ProfileStatus.decide(facts, clock.instant());
    if (!decided.equals(profile.statusOrEmpty())) {
      context.resourceOperations().serverSideApplyPrimaryStatus(withStatus(profile, decided));
      events.onChange(profile, profile.statusOrEmpty().conditions(), decided.conditions());
    }
    return facts.strandedPods() == 0 && !facts.starts()
        ? UpdateControl.noUpdate()
        : UpdateControl.<GpuShareProfile>noUpdate().rescheduleAfter(StrandedPods.LOOK_AGAIN);
  }

  @Override
  public ErrorStatusUpdateControl<GpuShareProfile> updateErrorStatus(
      GpuShareProfile profile, Context<GpuShareProfile> context, Exception failure) {
    return FailedReconciliation.tell(profile, failure);
  }

  private ProfileFacts observe(GpuShareProfile profile) {
    var profiles = new Profiles(cluster.profiles());
    var states =
        new ComponentStates(
            cluster.pods(), cluster.deployments(), components.troubles(), clock.instant());
    var nodes =
        cluster.gpuNodes().stream()
            .filter(node -> sharesBy(node, profile, profiles))
            .map(node -> Optional.ofNullable(node.statusOrEmpty().summary()))
            .toList();
    return new ProfileFacts(
        profile,
        profiles.rivalOf(profile).map(rival -> rival.getMetadata().getName()),
        nodes,
        states.once(Names.EXTENDER),
        states.once(Names.SCHEDULER),
        nodes.isEmpty() ? 0 : strandedPods.count(profile.specOrEmpty().resourceNameInForce()),
        kinds.canMutate());
  }

  private boolean sharesBy(GpuNode gpuNode, GpuShareProfile profile, Profiles profiles) {
    Optional<Map<String, String>> labels = cluster.labelsOf(gpuNode.getMetadata().getName());
    return labels
        .map(known -> InForce.of(gpuNode, known, profiles))
        .filter(inForce -> inForce.shared() && inForce.rules().countBy(profile))
        .isPresent();
  }

  /** A fresh object: server-side apply takes every field that is sent for ours. */
  private static GpuShareProfile withStatus(GpuShareProfile profile, GpuShareProfileStatus status) {
    var fresh = new GpuShareProfile();
    fresh.setMetadata(new ObjectMetaBuilder().withName(profile.getMetadata().getName()).build());
    fresh.setStatus(status);
    return fresh;
  }
}
