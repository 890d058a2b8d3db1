package io.baetyl.gpu.metrics;

import io.baetyl.gpu.accelerator.Vendor;
import io.baetyl.gpu.accelerator.folder.FolderNode;
import io.baetyl.gpu.accelerator.folder.FolderVendor;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.metrics.reporting.NodeView;
import io.baetyl.gpu.metrics.serving.Endpoints;
import io.baetyl.gpu.metrics.watching.AnyVendor;
import io.baetyl.gpu.metrics.watching.DeviceWatch;
import io.baetyl.gpu.metrics.watching.HandClock;
import io.baetyl.gpu.metrics.watching.Survey;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The metrics agent of a node whose accelerators are folders, without an API server. */
final class NodeUnderTest implements AutoCloseable {
  private final ExecutorService driverThreads =
      Executors.newCachedThreadPool(Thread.ofPlatform().daemon().factory());
  private final HandClock clock = new HandClock();
  private final DeviceWatch watch;
  private final Endpoints endpoints;
  final Accelerators accelerators;
  final Pages pages;

  NodeUnderTest(String name, FolderNode node) throws IOException {
    List<Vendor> vendors = FolderVendor.amongTheKnown();
    accelerators = new Accelerators(vendors, node.roots());
    watch =
        new DeviceWatch(
            new AnyVendor(accelerators.sources(), Optional::empty, Optional::empty),
            driverThreads,
            clock);
    pages =
        new Pages(
            name, accelerators::metrics, watch::survey, new NodeView(), pid -> Optional.empty());
    endpoints = new Endpoints(0, () -> true, pages::metrics, pages::collect);
    endpoints.start();
  }

  /** As after a restart of the agent: these are in the GpuNode's status. */
  void recall(Device... reported) {
    watch.recall(List.of(reported));
  }

  /** Two seconds later, which is when the agent asks again. */
  void pass() {
    clock.pass(Duration.ofSeconds(2));
    watch.ask();
  }

  Survey survey() {
    return watch.survey();
  }

  int port() {
    return endpoints.port();
  }

  @Override
  public void close() {
    endpoints.close();
    watch.close();
    driverThreads.shutdownNow();
  }
}
