package io.baetyl.gpu.operator.components;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toUnmodifiableSet;

import io.baetyl.gpu.operator.cluster.ClusterView;
import io.baetyl.gpu.operator.components.ComponentsLoop.Result;
import io.baetyl.gpu.operator.config.Blueprint;
import io.baetyl.gpu.operator.config.Blueprints;
import io.baetyl.gpu.operator.resolve.Demand;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * One round of {@link ComponentsLoop}: labels nodes, and brings the workloads to what the cluster
 * needs.
 */
final class ComponentsRound {
  private final KubernetesClient client;
  private final ClusterView cluster;
  private final Blueprints blueprints;
  private final AdmissionKinds kinds;
  private final Clock clock;
  private final Duration longest;
  private final NodeLabels nodeLabels;
  private Seen settled;
  private long settledAtMillis;

  /**
   * @param longest after which the workloads are looked at also where nothing has changed
   */
  ComponentsRound(
      KubernetesClient client,
      ClusterView cluster,
      Blueprints blueprints,
      AdmissionKinds kinds,
      Clock clock,
      Duration longest) {
    this.client = client;
    this.cluster = cluster;
    this.blueprints = blueprints;
    this.kinds = kinds;
    this.clock = clock;
    this.longest = longest;
    this.nodeLabels = new NodeLabels(client);
  }

  /** What a round depends on; where it is the same as in the last one, there is nothing to do. */
  private record Seen(Demand demand, Set<String> uids, Map<String, String> workloads) {}

  /**
   * @param whole whether to look at the workloads in any case
   * @throws KubernetesClientException if the API server is away
   */
  Result run(boolean whole) {
    var deaf = cluster.deaf();
    if (!deaf.isEmpty()) {
      // Who decides on an old picture may remove what is needed by now.
      throw new KubernetesClientException("The watch of %s is lost.".formatted(deaf));
    }
    var labels = cluster.nodeLabels();
    var demand =
        Demand.of(cluster.gpuNodes(), labels, cluster.profiles())
            .keeping(Scheduler.resources(cluster.deployments()), cluster.offered());
    var seen = new Seen(demand, uids(), workloads());
    var ofNodes = nodeLabels.reconcile(labels, demand.nodeLabels());
    boolean old = clock.millis() - settledAtMillis > longest.toMillis();
    if (!whole && !old && seen.equals(settled)) {
      return new Result(demand.resources(), new Troubles(Map.of(), ofNodes));
    }
    var ofComponents = reconcile(demand);
    if (ofComponents.isEmpty()) {
      settled = seen;
      settledAtMillis = clock.millis();
    }
    return new Result(demand.resources(), new Troubles(ofComponents, ofNodes));
  }

  private Map<String, String> reconcile(Demand demand) {
    Blueprint blueprint;
    OwnerReference owner;
    try {
      blueprint = blueprints.current();
      owner = Owner.current(client);
    } catch (IllegalStateException cannotTell) {
      return ofAll(cannotTell.getMessage());
    } catch (KubernetesClientException failed) {
      if (Troubles.isRefusal(failed)) {
        return ofAll(Troubles.reason(failed));
      }
      throw failed;
    }
    return new Workloads(client, owner, kinds, blueprint, clock).reconcile(demand);
  }

  private static Map<String, String> ofAll(String reason) {
    return Stream.concat(
            Stream.of(Names.METRICS, Names.EXTENDER, Names.SCHEDULER),
            DevicePlugin.kinds().map(Names::of))
        .collect(toMap(Function.identity(), name -> reason));
  }

  /** With another definition, and so another owner, all its objects are others too. */
  private Set<String> uids() {
    return cluster.gpuNodes().stream()
        .map(gpuNode -> gpuNode.getMetadata().getUid())
        .collect(toUnmodifiableSet());
  }

  /** Of each workload, what changes when somebody else edits or deletes it; not its status. */
  private Map<String, String> workloads() {
    var versions = new TreeMap<String, String>();
    Stream.<HasMetadata>concat(cluster.daemonSets().stream(), cluster.deployments().stream())
        .map(HasMetadata::getMetadata)
        .forEach(
            object -> versions.put(object.getName(), object.getUid() + object.getGeneration()));
    return versions;
  }
}
