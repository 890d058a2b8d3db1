package io.baetyl.gpu.operator.gpushareprofile;

import io.baetyl.gpu.api.v1alpha1.FieldManagers;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfile;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileStatus;
import io.baetyl.gpu.operator.cluster.ClusterView;
import io.baetyl.gpu.operator.components.ComponentStates;
import io.baetyl.gpu.operator.components.Names;
import io.baetyl.gpu.operator.events.ConditionEvents;
import io.baetyl.gpu.operator.events.FailedReconciliation;
import io.baetyl.gpu.operator.resolve.InForce;
import io.baetyl.gpu.operator.resolve.Profiles;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
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
  private final KubernetesClient client;
  private final ClusterView cluster;
  private final ConditionEvents events;
  private final StrandedPods strandedPods;
  private final Clock clock;
  private final SimpleInboundEventSource<GpuShareProfile> changes =
      new SimpleInboundEventSource<>("cluster");

  public GpuShareProfileReconciler(KubernetesClient client, ClusterView cluster, Clock clock) {
    this.client = client;
    this.cluster = cluster;
    this.events = new ConditionEvents(client, clock);
    this.strandedPods = new StrandedPods(client, clock);
    this.clock = clock;
  }

  @Override
  public List<EventSource<?, GpuShareProfile>> prepareEventSources(
      EventSourceContext<GpuShareProfile> context) {
    cluster.onChange(this::wake);
    return List.of(changes);
  }

  /** There are few profiles, and almost everything can matter to each. */
  private void wake(HasMetadata changed) {
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
    return facts.strandedPods() == 0
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
    var states = new ComponentStates(cluster.pods(), cluster.deployments());
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
        client.supports("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy"));
  }

  private boolean sharesBy(GpuNode gpuNode, GpuShareProfile profile, Profiles profiles) {
    Optional<Map<String, String>> labels = cluster.labelsOf(gpuNode.getMetadata().getName());
    return labels.isPresent()
        && InForce.of(gpuNode, labels.get(), profiles)
            .profile()
            .profile()
            .filter(used -> used.getMetadata().getName().equals(profile.getMetadata().getName()))
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
