package io.baetyl.gpu.operator.cluster;

import static java.util.stream.Collectors.toUnmodifiableSet;

import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfile;
import io.baetyl.gpu.api.v1alpha1.WellKnownLabels;
import io.baetyl.gpu.operator.config.GpuSettings;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.ReducedStateItemStore;
import jakarta.inject.Singleton;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the operator sees of the cluster, kept by watches: the custom resources, the labels and
 * extended resources of the nodes, and its own workloads with their pods. What is returned is
 * shared and must not be changed.
 */
@Singleton
public final class ClusterView {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterView.class);

  /** The trouble of an informer as it was last told, by what it watches. */
  private final Map<String, String> reasons = new ConcurrentHashMap<>();

  private final List<Consumer<HasMetadata>> listeners = new CopyOnWriteArrayList<>();
  private final SharedIndexInformer<GpuNode> gpuNodes;
  private final SharedIndexInformer<GpuShareProfile> profiles;
  private final SharedIndexInformer<Node> nodes;
  private final SharedIndexInformer<Pod> pods;
  private final SharedIndexInformer<DaemonSet> daemonSets;
  private final SharedIndexInformer<Deployment> deployments;

  public ClusterView(KubernetesClient client, GpuSettings settings) {
    var ours = Map.of(WellKnownLabels.MANAGED_BY, WellKnownLabels.OPERATOR);
    var namespace = settings.namespace();
    gpuNodes = client.resources(GpuNode.class).runnableInformer(0);
    profiles = client.resources(GpuShareProfile.class).runnableInformer(0);
    // Of a node, whose status changes every few minutes, nothing else matters.
    nodes =
        client
            .nodes()
            .runnableInformer(0)
            .itemStore(
                new ReducedStateItemStore<>(
                    ReducedStateItemStore.NAME_KEY_STATE,
                    Node.class,
                    client.getKubernetesSerialization(),
                    "metadata.labels",
                    "status.allocatable",
                    "status.conditions"));
    pods = client.pods().inNamespace(namespace).withLabels(ours).runnableInformer(0);
    daemonSets =
        client.apps().daemonSets().inNamespace(namespace).withLabels(ours).runnableInformer(0);
    deployments =
        client.apps().deployments().inNamespace(namespace).withLabels(ours).runnableInformer(0);
    informers().forEach(this::keepTrying);
    gpuNodes.addEventHandler(new Forward<>(this::tell));
    profiles.addEventHandler(new Forward<>(this::tell));
    nodes.addEventHandler(new ForwardNodes(this::tell));
    pods.addEventHandler(new Forward<>(this::tell));
    daemonSets.addEventHandler(new Forward<>(this::tell));
    deployments.addEventHandler(new Forward<>(this::tell));
  }

  /**
   * Without a handler an informer ends for good at the first trouble that is not the API server's
   * absence, such as an object that cannot be read.
   */
  private void keepTrying(SharedIndexInformer<?> informer) {
    var kind = informer.getApiTypeClass().getSimpleName();
    informer.exceptionHandler(
        (started, trouble) -> {
          var reason = String.valueOf(trouble.getMessage());
          if (!reason.equals(reasons.put(kind, reason))) {
            LOG.warn("Lost the watch; will try again. kind={} reason={}", kind, reason);
          }
          return true;
        });
  }

  /** Starts the watches and returns once all have been filled. */
  public void start() {
    informers().stream()
        .map(SharedIndexInformer::start)
        .toList()
        .forEach(started -> started.toCompletableFuture().join());
  }

  public void stop() {
    informers().forEach(SharedIndexInformer::stop);
  }

  /** The informers that see nothing at present, by what they watch; empty when all is well. */
  public List<String> deaf() {
    var deaf =
        informers().stream()
            .filter(informer -> !informer.isWatching())
            .map(informer -> informer.getApiTypeClass().getSimpleName())
            .toList();
    reasons.keySet().retainAll(deaf);
    return deaf;
  }

  /** Whether some informers see nothing while others do, so that the API server is not away. */
  public boolean isPartlyDeaf() {
    int deaf = deaf().size();
    return deaf > 0 && deaf < informers().size();
  }

  private List<SharedIndexInformer<?>> informers() {
    return List.of(gpuNodes, profiles, nodes, pods, daemonSets, deployments);
  }

  /** Calls a listener with each object that has come, changed or gone. It must not block. */
  public void onChange(Consumer<HasMetadata> listener) {
    listeners.add(listener);
  }

  private void tell(HasMetadata object) {
    listeners.forEach(listener -> listener.accept(object));
  }

  public Collection<GpuNode> gpuNodes() {
    return gpuNodes.getStore().list();
  }

  public Optional<GpuNode> gpuNode(String name) {
    return Optional.ofNullable(gpuNodes.getStore().getByKey(name));
  }

  public Collection<GpuShareProfile> profiles() {
    return profiles.getStore().list();
  }

  /** The labels of a node; empty where there is no such node. */
  public Optional<Map<String, String>> labelsOf(String node) {
    return Optional.ofNullable(nodes.getStore().getByKey(node)).map(ClusterView::labels);
  }

  /** The labels of every node, by its name. */
  public Map<String, Map<String, String>> nodeLabels() {
    var byName = new TreeMap<String, Map<String, String>>();
    nodes.getStore().list().forEach(node -> byName.put(node.getMetadata().getName(), labels(node)));
    return byName;
  }

  /** The extended resources of which some node that is ready has some. */
  public Set<String> offered() {
    return nodes.getStore().list().stream()
        .flatMap(node -> offered(node).stream())
        .collect(toUnmodifiableSet());
  }

  /**
   * For some minutes a kubelet keeps a resource with none of it after its device plugin left. A
   * node that is off keeps what it had, for ever, and gets no pods.
   */
  static Set<String> offered(Node node) {
    var status = node.getStatus();
    return status == null || status.getAllocatable() == null || !isReady(status)
        ? Set.of()
        : status.getAllocatable().entrySet().stream()
            .filter(entry -> entry.getKey().contains("/"))
            .filter(entry -> entry.getValue().getNumericalAmount().signum() > 0)
            .map(Map.Entry::getKey)
            .collect(toUnmodifiableSet());
  }

  private static boolean isReady(NodeStatus status) {
    return status.getConditions().stream()
        .anyMatch(
            condition ->
                condition.getType().equals("Ready") && condition.getStatus().equals("True"));
  }

  static Map<String, String> labels(HasMetadata object) {
    var labels = object.getMetadata().getLabels();
    return labels == null ? Map.of() : labels;
  }

  /** The pods of our workloads. */
  public Collection<Pod> pods() {
    return pods.getStore().list();
  }

  public Collection<DaemonSet> daemonSets() {
    return daemonSets.getStore().list();
  }

  public Collection<Deployment> deployments() {
    return deployments.getStore().list();
  }
}
