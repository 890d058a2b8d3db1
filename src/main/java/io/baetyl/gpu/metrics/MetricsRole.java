package io.baetyl.gpu.metrics;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.baetyl.gpu.accelerator.NodeRoots;
import io.baetyl.gpu.accelerator.Vendors;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.Monitoring;
import io.baetyl.gpu.metrics.containers.ProcessOwners;
import io.baetyl.gpu.metrics.reporting.NodeView;
import io.baetyl.gpu.metrics.reporting.NodeWatch;
import io.baetyl.gpu.metrics.reporting.Reporter;
import io.baetyl.gpu.metrics.reporting.RuntimeClasses;
import io.baetyl.gpu.metrics.serving.Endpoints;
import io.baetyl.gpu.metrics.watching.AnyVendor;
import io.baetyl.gpu.metrics.watching.DeviceWatch;
import io.baetyl.gpu.metrics.watching.SteadyClock;
import io.baetyl.gpu.platform.Clients;
import io.baetyl.gpu.platform.Role;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The role's parts, put together. */
final class MetricsRole implements Role {
  private static final Logger LOG = LoggerFactory.getLogger(MetricsRole.class);
  private static final Path ROOT = Path.of("/");
  private static final int REPORT_INTERVAL_SECONDS = 1;

  private final MetricsOptions options;
  private final Accelerators accelerators;
  private final NodeView view = new NodeView();
  private final ExecutorService driverThreads =
      Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("driver-", 0).factory());
  private final ScheduledExecutorService watcher = timer("watcher");
  private final ScheduledExecutorService reporter = timer("reporter");
  private final DeviceWatch watch;
  private final Pages pages;
  private boolean recalled;
  private KubernetesClient client;
  private NodeWatch nodeWatch;
  private Endpoints endpoints;

  MetricsRole(MetricsOptions options) {
    this.options = options;
    var roots = new NodeRoots(ROOT, options.hostRoot, options.hardwareRoot);
    this.accelerators = new Accelerators(Vendors.ALL, roots);
    this.watch =
        new DeviceWatch(
            new AnyVendor(accelerators.sources(), this::wanted, this::reported),
            driverThreads,
            new SteadyClock());
    this.pages =
        new Pages(
            options.nodeName,
            accelerators::metrics,
            watch::survey,
            view,
            new ProcessOwners(Path.of("/proc"))::podUid);
  }

  private Optional<AcceleratorType> wanted() {
    return Optional.ofNullable(view.status().accelerator());
  }

  private Optional<AcceleratorType> reported() {
    return Optional.ofNullable(view.status().detected());
  }

  private static ScheduledExecutorService timer(String name) {
    return Executors.newSingleThreadScheduledExecutor(
        Thread.ofPlatform().daemon().name(name).factory());
  }

  @Override
  public void start() throws IOException {
    endpoints = new Endpoints(options.port, this::isEnabled, pages::metrics, pages::collect);
    endpoints.start();
    repeat(watcher, watch::ask, options.sampleIntervalSeconds);
    client = Clients.create();
    nodeWatch = new NodeWatch(client, options.nodeName, view);
    var runtimeClasses = new RuntimeClasses(client);
    var report =
        new Reporter(
            view,
            watch::survey,
            (type, devices) -> accelerators.runtime(type, devices, runtimeClasses::exists),
            nodeWatch,
            new SteadyClock());
    repeat(reporter, () -> report(report), REPORT_INTERVAL_SECONDS);
  }

  private static void repeat(ScheduledExecutorService timer, Runnable work, int seconds) {
    Runnable guarded =
        () -> {
          try {
            work.run();
          } catch (RuntimeException unforeseen) {
            // A timer never runs again what has thrown once.
            LOG.error("A periodic task failed; it goes on", unforeseen);
          }
        };
    timer.scheduleWithFixedDelay(guarded, 0, seconds, SECONDS);
  }

  private void report(Reporter report) {
    if (!recalled && view.node().isPresent()) {
      watch.recall(view.status().devices());
      recalled = true;
    }
    report.reconcile();
  }

  private boolean isEnabled() {
    return view.node()
        .map(GpuNode::specOrEmpty)
        .filter(spec -> spec.monitoringInForce() == Monitoring.DISABLED)
        .isEmpty();
  }

  @Override
  public void close() {
    watcher.shutdownNow();
    reporter.shutdownNow();
    if (endpoints != null) {
      endpoints.close();
    }
    if (nodeWatch != null) {
      nodeWatch.close();
    }
    if (client != null) {
      client.close();
    }
    watch.close();
  }
}
