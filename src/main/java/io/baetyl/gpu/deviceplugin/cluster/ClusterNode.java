package io.baetyl.gpu.deviceplugin.cluster;

import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.api.v1alpha1.Sharing;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import io.baetyl.gpu.deviceplugin.allocation.NodePods;
import io.baetyl.gpu.deviceplugin.allocation.SharedCards;
import io.baetyl.gpu.model.ShareRules;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.RequestConfig;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** This node at the API server, watched: its GpuNode, and its own pods only. */
public final class ClusterNode implements NodePods, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterNode.class);

  /** For questions that the kubelet waits for: by default the client tries on for half a minute. */
  private static final RequestConfig AT_ONCE =
      new RequestConfigBuilder().withRequestTimeout(1000).withRequestRetryBackoffLimit(0).build();

  private final KubernetesClient impatient;
  private final String nodeName;
  private final SharedIndexInformer<GpuNode> nodes;
  private final SharedIndexInformer<Pod> pods;
  private volatile String lastTrouble = "";

  /**
   * @param nodeName the name of this node
   * @param onChange called after every change, from a thread that must not be held up
   */
  public ClusterNode(KubernetesClient client, String nodeName, Runnable onChange) {
    this.impatient = client.newClient(AT_ONCE).adapt(KubernetesClient.class);
    this.nodeName = nodeName;
    this.nodes = client.resources(GpuNode.class).withName(nodeName).runnableInformer(0);
    this.pods =
        client.pods().inAnyNamespace().withField("spec.nodeName", nodeName).runnableInformer(0);
    Runnable heard =
        () -> {
          // So that the next outage is told again.
          lastTrouble = "";
          onChange.run();
        };
    nodes.addEventHandler(new Notify<>(heard));
    pods.addEventHandler(new Notify<>(heard));
  }

  /** Starts watching, and goes on trying for as long as the API server is away. */
  public void start() {
    for (var informer : List.of(nodes, pods)) {
      informer.exceptionHandler(
          (started, trouble) -> {
            say(trouble);
            return true;
          });
      var starting = informer.start();
      starting.whenComplete(
          (done, trouble) -> {
            if (trouble != null) {
              say(trouble);
            }
          });
    }
  }

  /** Whether everything has been seen once. */
  public boolean synced() {
    return Stream.of(nodes, pods).allMatch(SharedIndexInformer::hasSynced);
  }

  /** What is shared here; empty while that is not known. */
  public Optional<SharedCards> cards() {
    var status = status();
    return Optional.ofNullable(status.sharing())
        .map(sharing -> new SharedCards(ShareRules.of(sharing), status.devices()));
  }

  /** The rules in the units that this plugin said last to count; empty where it has not. */
  public Optional<ShareRules> reportedRules() {
    var status = status();
    return status
        .pluginThatCounts()
        .flatMap(reported -> Optional.ofNullable(status.sharingAsCounted()))
        .map(ShareRules::of);
  }

  /** The status of this node's GpuNode, or an empty one. */
  public GpuNodeStatus status() {
    return gpuNode().map(GpuNode::statusOrEmpty).orElse(GpuNodeStatus.EMPTY);
  }

  /** This node's GpuNode. */
  Optional<GpuNode> gpuNode() {
    return Optional.ofNullable(nodes.getStore().getByKey(nodeName));
  }

  @Override
  public Collection<NodePod> all() {
    var resource = resourceName();
    return pods.getStore().list().stream().map(pod -> PodReader.read(pod, resource)).toList();
  }

  @Override
  public Optional<NodePod> read(String namespace, String name) {
    try {
      return Optional.ofNullable(impatient.pods().inNamespace(namespace).withName(name).get())
          .filter(pod -> nodeName.equals(pod.getSpec().getNodeName()))
          .map(pod -> PodReader.read(pod, resourceName()));
    } catch (KubernetesClientException unanswered) {
      LOG.warn(
          "Cannot ask for a pod. pod={}/{} reason={}", namespace, name, unanswered.getMessage());
      return Optional.empty();
    }
  }

  private String resourceName() {
    return Optional.ofNullable(status().sharingAsCounted()).map(Sharing::resourceName).orElse("");
  }

  private void say(Throwable trouble) {
    var reason = String.valueOf(trouble.getMessage());
    if (!reason.equals(lastTrouble)) {
      lastTrouble = reason;
      LOG.warn("Cannot watch the API server; trying on. reason={}", reason);
    }
  }

  @Override
  public void close() {
    nodes.stop();
    pods.stop();
  }

  private record Notify<T>(Runnable onChange) implements ResourceEventHandler<T> {
    @Override
    public void onAdd(T added) {
      onChange.run();
    }

    @Override
    public void onUpdate(T before, T after) {
      onChange.run();
    }

    @Override
    public void onDelete(T deleted, boolean unknownFinalState) {
      onChange.run();
    }

    @Override
    public void onNothing() {
      onChange.run();
    }
  }
}
