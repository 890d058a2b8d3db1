package io.baetyl.gpu.extender;

import io.baetyl.gpu.extender.apiserver.FabricPodApi;
import io.baetyl.gpu.extender.binding.Bind;
import io.baetyl.gpu.extender.binding.BindingWrite;
import io.baetyl.gpu.extender.binding.PodBinding;
import io.baetyl.gpu.extender.counting.Counters;
import io.baetyl.gpu.extender.counting.Counters.Counter;
import io.baetyl.gpu.extender.filtering.Filter;
import io.baetyl.gpu.extender.filtering.Prioritize;
import io.baetyl.gpu.extender.picture.Picture;
import io.baetyl.gpu.extender.preemption.Preempt;
import io.baetyl.gpu.extender.serving.ExtenderServer;
import io.baetyl.gpu.extender.serving.TlsFiles;
import io.baetyl.gpu.extender.waking.WaitingPods;
import io.baetyl.gpu.extender.waking.Waker;
import io.baetyl.gpu.extender.watching.Watches;
import io.baetyl.gpu.platform.HealthEndpoint;
import io.baetyl.gpu.platform.Role;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The role: wires the parts, starts them, and stops them so that no call is lost. */
final class SchedulerExtender implements Role {
  private static final Logger LOG = LoggerFactory.getLogger(SchedulerExtender.class);

  private final ExtenderOptions options;
  private final Supplier<KubernetesClient> clients;
  private final Clock clock;
  private final Counters counters = new Counters();
  private final ScheduledExecutorService upkeep =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("upkeep").daemon().factory());
  private volatile boolean stopping;
  private volatile Watches watches;
  private KubernetesClient client;
  private HealthEndpoint health;
  private ExtenderServer server;
  private Waker waker;

  SchedulerExtender(ExtenderOptions options, Supplier<KubernetesClient> clients, Clock clock) {
    this.options = options;
    this.clients = clients;
    this.clock = clock;
  }

  @Override
  public void start() throws Exception {
    var tls = new TlsFiles(options.tlsDir());
    client = clients.get();
    var picture = new Picture(clock);
    var waiting = new WaitingPods(clock);
    var api = new FabricPodApi(client);
    waker = new Waker(picture, waiting, api, clock, counters);
    watches = new Watches(client, picture, waiting, clock);
    server =
        new ExtenderServer(
            new InetSocketAddress(options.port()), tls.context(), this::whyNotReady, counters);
    var bindings = new BindingWrite(picture, api, clock);
    var binding = new PodBinding(picture, api, bindings, clock, counters);
    server.serve("/filter", Counter.FILTER_CALLS, () -> new Filter(picture, waiting));
    server.serve("/prioritize", Counter.PRIORITIZE_CALLS, () -> new Prioritize(picture));
    server.serve("/bind", Counter.BIND_CALLS, () -> new Bind(binding, counters));
    server.serve("/preempt", Counter.PREEMPT_CALLS, () -> new Preempt(picture));
    health = new HealthEndpoint(options.healthPort(), this::whyNotReady);
    health.serve("/metrics", counters::text);
    var checks = new Upkeep(picture, waiting, waker, bindings, tls, clock);
    health.start();
    server.start();
    watches.start();
    upkeep.scheduleWithFixedDelay(
        () -> checks.run(this::whyNotReady), 0, Upkeep.PERIOD.toMillis(), TimeUnit.MILLISECONDS);
    LOG.info("Waiting for the picture to be complete. port={}", server.port());
  }

  int port() {
    return server.port();
  }

  int healthPort() {
    return health.port();
  }

  /** Why no call can be answered now; empty where they can. */
  Optional<String> whyNotReady() {
    if (stopping) {
      return Optional.of("it is stopping");
    }
    var running = watches;
    return running == null ? Optional.of("it is starting") : running.trouble();
  }

  @Override
  public void close() {
    stopping = true;
    upkeep.shutdownNow();
    if (server != null) {
      server.close();
    }
    if (waker != null) {
      waker.close();
    }
    if (watches != null) {
      watches.close();
    }
    if (health != null) {
      health.close();
    }
    if (client != null) {
      client.close();
    }
  }
}
