package io.baetyl.gpu.operator.components;

import io.baetyl.gpu.operator.cluster.ClusterView;
import io.baetyl.gpu.operator.config.Blueprints;
import io.baetyl.gpu.operator.resolve.Demand;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps node labels and workloads, which all GpuNodes share, at what the cluster needs: after every
 * change, and every few minutes for what nobody tells, such as a certificate's age. At its first
 * round it also removes what an operator before it left behind.
 *
 * <p>It is not a reconciler of the SDK since it has no object of its own: its input is the set of
 * all GpuNodes, the empty set included.
 */
@Singleton
public final class ComponentsLoop {
  private static final Logger LOG = LoggerFactory.getLogger(ComponentsLoop.class);
  private static final Duration ROUND = Duration.ofMinutes(10);
  private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
  private static final Duration LAST_RETRY = Duration.ofSeconds(30);

  private final KubernetesClient client;
  private final ClusterView cluster;
  private final Blueprints blueprints;
  private final Clock clock;
  private final NodeLabels nodeLabels;
  private final Semaphore wake = new Semaphore(0);
  private final Thread thread = new Thread(this::run, "components");
  private Seen settled;
  private long settledAtMillis;

  public ComponentsLoop(
      KubernetesClient client, ClusterView cluster, Blueprints blueprints, Clock clock) {
    this.client = client;
    this.cluster = cluster;
    this.blueprints = blueprints;
    this.clock = clock;
    this.nodeLabels = new NodeLabels(client);
  }

  /** What a round depends on; where it is the same as in the last one, there is nothing to do. */
  private record Seen(Demand demand, Map<String, String> workloads) {}

  public void start() {
    cluster.onChange(object -> wake.release());
    wake.release();
    thread.setDaemon(true);
    thread.start();
  }

  public void stop() {
    thread.interrupt();
  }

  private void run() {
    var retry = FIRST_RETRY;
    String trouble = null;
    while (!Thread.currentThread().isInterrupted()) {
      try {
        boolean woken =
            wake.tryAcquire((trouble == null ? ROUND : retry).toMillis(), TimeUnit.MILLISECONDS);
        wake.drainPermits();
        round(!woken || trouble != null);
        retry = FIRST_RETRY;
        trouble = null;
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
      } catch (KubernetesClientException failed) {
        if (!String.valueOf(failed.getMessage()).equals(trouble)) {
          trouble = String.valueOf(failed.getMessage());
          LOG.warn("Cannot bring the components up to date; will try again. reason={}", trouble);
        }
        retry = Duration.ofMillis(Math.min(retry.toMillis() * 2, LAST_RETRY.toMillis()));
      } catch (RuntimeException bug) {
        trouble = String.valueOf(bug.getMessage());
        LOG.error("Cannot bring the components up to date; will try again.", bug);
        retry = LAST_RETRY;
      }
    }
  }

  private void round(boolean whole) {
    var labels = cluster.nodeLabels();
    var seen = new Seen(Demand.of(cluster.gpuNodes(), labels, cluster.profiles()), workloads());
    nodeLabels.reconcile(labels, seen.demand().nodeLabels());
    boolean old = clock.millis() - settledAtMillis > ROUND.toMillis();
    if (!whole && !old && seen.equals(settled)) {
      return;
    }
    new Workloads(client, blueprints.current(), clock).reconcile(seen.demand());
    settled = seen;
    settledAtMillis = clock.millis();
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
