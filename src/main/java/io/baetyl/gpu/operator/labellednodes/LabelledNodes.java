package io.baetyl.gpu.operator.labellednodes;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeSpec;
import io.baetyl.gpu.api.v1alpha1.WellKnownLabels;
import io.baetyl.gpu.operator.cluster.ClusterView;
import io.baetyl.gpu.operator.config.GpuSettings;
import io.baetyl.gpu.operator.config.GpuSettings.Switch;
import io.baetyl.gpu.operator.events.ObjectEvents;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import jakarta.inject.Singleton;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives every node with the label {@code baetyl-accelerator} a GpuNode, if it has none, so that a
 * fleet needs no file for each node. It is owned by the node, and goes with it.
 */
@Singleton
public final class LabelledNodes {
  private static final Logger LOG = LoggerFactory.getLogger(LabelledNodes.class);

  private static final long AGAIN_SECONDS = 30;

  private final KubernetesClient client;
  private final ClusterView cluster;
  private final GpuSettings settings;
  private final ObjectEvents events;
  private final Semaphore wake = new Semaphore(0);
  private final Thread thread = new Thread(this::run, "labelled-nodes");

  public LabelledNodes(
      KubernetesClient client, ClusterView cluster, GpuSettings settings, Clock clock) {
    this.client = client;
    this.cluster = cluster;
    this.settings = settings;
    this.events = new ObjectEvents(client, clock);
  }

  public void start() {
    if (settings.labelledNodes() == Switch.DISABLED) {
      return;
    }
    cluster.onChange(this::changed);
    wake.release();
    thread.setDaemon(true);
    thread.start();
  }

  public void stop() {
    thread.interrupt();
  }

  private void changed(HasMetadata object) {
    if (object instanceof Node || object instanceof GpuNode) {
      wake.release();
    }
  }

  private void run() {
    while (!Thread.currentThread().isInterrupted()) {
      try {
        wake.tryAcquire(AGAIN_SECONDS, TimeUnit.SECONDS);
        wake.drainPermits();
        round();
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
      } catch (RuntimeException bug) {
        LOG.error("Cannot look for labelled nodes; will look again.", bug);
      }
    }
  }

  /** Makes the GpuNodes that are missing. */
  void round() {
    if (!cluster.deaf().isEmpty()) {
      // Who looks at an old picture may make what somebody has just made or removed.
      return;
    }
    cluster
        .nodeLabels()
        .forEach(
            (name, labels) -> {
              if (asks(labels) && cluster.gpuNode(name).isEmpty()) {
                try {
                  make(name, labels.get(WellKnownLabels.BAETYL_ACCELERATOR));
                } catch (KubernetesClientException failed) {
                  LOG.warn(
                      "Cannot make a GpuNode; will try again. name={} reason={}",
                      name,
                      reason(failed));
                }
              }
            });
  }

  private static boolean asks(Map<String, String> labels) {
    var type = AcceleratorType.of(labels.get(WellKnownLabels.BAETYL_ACCELERATOR));
    return type != null && type != AcceleratorType.NONE;
  }

  private void make(String name, String label) {
    var node = client.nodes().withName(name).get();
    if (node == null) {
      return;
    }
    var gpuNode = new GpuNode();
    gpuNode.setMetadata(
        new ObjectMetaBuilder()
            .withName(name)
            .addNewOwnerReference()
            .withApiVersion(node.getApiVersion())
            .withKind(node.getKind())
            .withName(name)
            .withUid(node.getMetadata().getUid())
            .endOwnerReference()
            .build());
    gpuNode.setSpec(new GpuNodeSpec(null, null, null, null));
    try {
      var made = client.resource(gpuNode).create();
      LOG.info("Make a GpuNode. name={} label={}", name, label);
      events.write(
          made,
          ObjectEvents.NORMAL,
          "MadeForLabel",
          "the node has the label %s=%s: as long as it has, there is a GpuNode of it"
              .formatted(WellKnownLabels.BAETYL_ACCELERATOR, label));
    } catch (KubernetesClientException refused) {
      if (refused.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        throw refused;
      }
    }
  }

  private static String reason(KubernetesClientException failed) {
    var status = failed.getStatus();
    return status == null || status.getMessage() == null
        ? String.valueOf(failed.getMessage())
        : status.getMessage();
  }
}
