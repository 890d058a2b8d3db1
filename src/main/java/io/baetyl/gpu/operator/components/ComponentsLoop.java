package io.baetyl.gpu.operator.components;

import io.baetyl.gpu.operator.cluster.ClusterView;
import io.baetyl.gpu.operator.config.Blueprints;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
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

  /** What is done in each round. */
  interface Round {
    /**
     * @param whole whether to look at everything, be it that nothing has changed
     * @throws KubernetesClientException if the API server is away
     */
    Result run(boolean whole);
  }

  /**
   * What a round has come to.
   *
   * @param resources the extended resources that pods are scheduled for
   */
  record Result(SortedSet<String> resources, Troubles troubles) {}

  private final Round round;
  private final Consumer<Runnable> changes;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final Semaphore wake = new Semaphore(0);
  private final Thread thread = new Thread(this::run, "components");
  private volatile Troubles troubles = Troubles.NONE;
  private volatile SortedSet<String> resources = new TreeSet<>();

  @Inject
  public ComponentsLoop(
      KubernetesClient client,
      ClusterView cluster,
      Blueprints blueprints,
      AdmissionKinds kinds,
      Clock clock) {
    this(
        new ComponentsRound(client, cluster, blueprints, kinds, clock, ROUND)::run,
        changed -> cluster.onChange(object -> changed.run()));
  }

  /**
   * @param changes takes what is to be run whenever something has changed in the cluster
   */
  ComponentsLoop(Round round, Consumer<Runnable> changes) {
    this.round = round;
    this.changes = changes;
  }

  public void start() {
    changes.accept(wake::release);
    wake.release();
    thread.setDaemon(true);
    thread.start();
  }

  /** Ends the round that is under way, too. */
  public void stop() {
    thread.interrupt();
  }

  /** What could not be done in the last round in which the API server was there. */
  public Troubles troubles() {
    return troubles;
  }

  /** The extended resources that pods are scheduled for by the last such round; at first none. */
  public SortedSet<String> resources() {
    return resources;
  }

  /** Calls a listener when {@link #troubles} have changed. It must not block. */
  public void onTroubles(Runnable listener) {
    listeners.add(listener);
  }

  private void run() {
    int failures = 0;
    String away = null;
    while (!Thread.currentThread().isInterrupted()) {
      try {
        boolean woken = wake.tryAcquire(pause(failures).toMillis(), TimeUnit.MILLISECONDS);
        wake.drainPermits();
        var found = round.run(!woken || failures > 0);
        resources = found.resources();
        tell(found.troubles());
        failures = found.troubles().isEmpty() ? 0 : failures + 1;
        away = null;
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
      } catch (KubernetesClientException failed) {
        failures++;
        if (!Troubles.reason(failed).equals(away)) {
          away = Troubles.reason(failed);
          LOG.warn("Cannot bring the components up to date; will try again. reason={}", away);
        }
      } catch (RuntimeException bug) {
        failures++;
        LOG.error("Cannot bring the components up to date; will try again.", bug);
      }
    }
  }

  private static Duration pause(int failures) {
    if (failures == 0) {
      return ROUND;
    }
    var doubled = FIRST_RETRY.multipliedBy(1L << Math.min(failures - 1, 10));
    return doubled.compareTo(LAST_RETRY) < 0 ? doubled : LAST_RETRY;
  }

  private void tell(Troubles found) {
    if (found.equals(troubles)) {
      return;
    }
    found.ofComponents().forEach((component, reason) -> warn("component", component, reason));
    found.ofNodes().forEach((node, reason) -> warn("node", node, reason));
    troubles = found;
    listeners.forEach(Runnable::run);
  }

  private static void warn(String kind, String name, String reason) {
    LOG.warn("Not as it is to be; will try again. {}={} reason={}", kind, name, reason);
  }
}
