package io.baetyl.gpu.operator.refusedpods;

import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.operator.cluster.ClusterView;
import io.baetyl.gpu.operator.components.ComponentsLoop;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import jakarta.inject.Singleton;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes, every half minute, the pods that a kubelet refused for a resource of ours and that their
 * controller has replaced. The cluster itself keeps up to 12,500 of them ({@code
 * --terminated-pod-gc-threshold} of kube-controller-manager). A pod of nobody stays.
 */
@Singleton
public final class RefusedPods {
  private static final Logger LOG = LoggerFactory.getLogger(RefusedPods.class);
  private static final int SECONDS = 30;

  private final KubernetesClient client;
  private final ComponentsLoop components;
  private final ClusterView cluster;
  private final Clock clock;
  private final ScheduledExecutorService rounds =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("refused-pods").factory());

  public RefusedPods(
      KubernetesClient client, ComponentsLoop components, ClusterView cluster, Clock clock) {
    this.client = client;
    this.components = components;
    this.cluster = cluster;
    this.clock = clock;
  }

  public void start() {
    rounds.scheduleWithFixedDelay(this::round, SECONDS, SECONDS, TimeUnit.SECONDS);
  }

  public void stop() {
    rounds.shutdownNow();
  }

  private void round() {
    try {
      clear(components.resources(), cluster.gpuNodes());
    } catch (KubernetesClientException failed) {
      LOG.warn("Cannot look for refused pods; will look again. reason={}", failed.getMessage());
    } catch (RuntimeException bug) {
      LOG.error("Cannot look for refused pods; will look again.", bug);
    }
  }

  /**
   * One round.
   *
   * @param scheduled the extended resources that pods are scheduled for, on whatever node
   * @param gpuNodes with what their device plugins hand out, which on another node somebody else
   *     may do
   */
  void clear(Collection<String> scheduled, Collection<GpuNode> gpuNodes) {
    var handedOut = new HashMap<String, String>();
    for (var gpuNode : gpuNodes) {
      var plugin = gpuNode.statusOrEmpty().plugin();
      if (plugin != null && plugin.resourceName() != null) {
        handedOut.put(gpuNode.getMetadata().getName(), plugin.resourceName());
      }
    }
    if (scheduled.isEmpty() && handedOut.isEmpty()) {
      return;
    }
    client
        .pods()
        .inAnyNamespace()
        .withField("status.phase", "Failed")
        .list()
        .getItems()
        .forEach(
            pod -> {
              var resources = new HashSet<>(scheduled);
              Optional.ofNullable(handedOut.get(pod.getSpec().getNodeName()))
                  .ifPresent(resources::add);
              RefusedPod.of(pod, resources, clock.instant()).ifPresent(this::delete);
            });
  }

  private void delete(RefusedPod refused) {
    var pod = refused.pod();
    try {
      client.resource(pod).lockResourceVersion().delete();
      LOG.info(
          "Delete refused pod. namespace={} pod={} reason={}",
          pod.getMetadata().getNamespace(),
          pod.getMetadata().getName(),
          pod.getStatus().getMessage());
      client.resource(refused.deleted(clock.instant())).create();
    } catch (KubernetesClientException changed) {
      if (changed.getCode() != HttpURLConnection.HTTP_CONFLICT
          && changed.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
        throw changed;
      }
    }
  }
}
