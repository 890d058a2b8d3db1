package io.baetyl.gpu.deviceplugin;

import io.baetyl.gpu.accelerator.nvidia.NvidiaContainerAccess;
import io.baetyl.gpu.deviceplugin.allocation.Allocator;
import io.baetyl.gpu.deviceplugin.allocation.Books;
import io.baetyl.gpu.deviceplugin.allocation.Decisions;
import io.baetyl.gpu.deviceplugin.allocation.Ledger;
import io.baetyl.gpu.deviceplugin.allocation.SharedCards;
import io.baetyl.gpu.deviceplugin.allocation.Unit;
import io.baetyl.gpu.deviceplugin.cluster.AnnotationWriter;
import io.baetyl.gpu.deviceplugin.cluster.ClusterNode;
import io.baetyl.gpu.deviceplugin.cluster.StatusWriter;
import io.baetyl.gpu.deviceplugin.kubelet.AdmissionWindow;
import io.baetyl.gpu.deviceplugin.kubelet.DomainSockets;
import io.baetyl.gpu.deviceplugin.kubelet.KubeletPlugin;
import io.baetyl.gpu.deviceplugin.kubelet.PodResourcesClient;
import io.baetyl.gpu.deviceplugin.node.PodCgroups;
import io.baetyl.gpu.platform.Clients;
import io.baetyl.gpu.platform.HealthEndpoint;
import io.baetyl.gpu.platform.Role;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands shared NVIDIA cards of one node out to its pods. */
final class DevicePluginRole implements Role {
  private static final Logger LOG = LoggerFactory.getLogger(DevicePluginRole.class);

  /** Together well below the 30 s that a pod has to stop. */
  private static final Duration EXPECTED_PODS = Duration.ofSeconds(5);

  private static final long REQUESTS_MILLIS = 2000;

  private final DevicePluginOptions options;
  private KubernetesClient client;
  private ClusterNode node;
  private AnnotationWriter annotations;
  private DomainSockets sockets;
  private PodResourcesClient podResources;
  private KubeletPlugin plugin;
  private Bookkeeper bookkeeper;
  private Thread bookkeeping;
  private HealthEndpoint health;

  DevicePluginRole(DevicePluginOptions options) {
    this.options = options;
  }

  @Override
  public void start() throws IOException {
    client = Clients.create();
    node = new ClusterNode(client, options.nodeName(), this::changed);
    annotations = new AnnotationWriter(client);
    sockets = new DomainSockets();
    podResources = new PodResourcesClient(sockets, options.podResourcesSocket(), this::resource);

    var ledger = new Ledger();
    var decisions = new Decisions();
    var window = new AdmissionWindow();
    var vendor = new NvidiaContainerAccess(options.hostRoot(), Path.of("/"));
    var access = new CardAccess(vendor::to);
    var allocator =
        new Allocator(
            ledger, decisions, node, podResources, node::cards, annotations, System::nanoTime);
    plugin =
        new KubeletPlugin(
            sockets,
            options.devicePluginsFolder(),
            allocator,
            access::of,
            window,
            this::settledResource,
            this::changed);
    bookkeeper =
        new Bookkeeper(
            this::syncedCards,
            node,
            podResources,
            window::quiet,
            new PodCgroups(options.cgroupRoot())::alive,
            ledger,
            new Books(ledger, decisions, annotations),
            access,
            new Kubelet(plugin),
            new StatusWriter(client, node, options.nodeName()),
            Clock.systemUTC());

    health = new HealthEndpoint(options.healthPort(), this::whyNotReady);
    health.serve("/metrics", this::metrics);
    health.start();
    node.start();
    plugin.start();
    bookkeeping = Thread.ofPlatform().name("bookkeeper").daemon().start(bookkeeper::run);
    LOG.info("Started. node={} endpoint={}", options.nodeName(), KubeletPlugin.ENDPOINT);
  }

  private void changed() {
    if (bookkeeper != null) {
      bookkeeper.wake();
      plugin.resourceChanged();
    }
  }

  private Optional<SharedCards> syncedCards() {
    return node.synced() ? node.cards() : Optional.empty();
  }

  private Optional<String> resource() {
    return node.cards().map(cards -> cards.rules().resourceName());
  }

  /** Units are offered once it is known who has which. */
  private Optional<String> settledResource() {
    return bookkeeper.settled() ? resource() : Optional.empty();
  }

  private Optional<String> whyNotReady() {
    if (!node.synced()) {
      return Optional.of("The API server has not answered yet");
    }
    if (resource().isEmpty()) {
      return Optional.of("GpuNode " + options.nodeName() + " names no share profile in its status");
    }
    if (!bookkeeper.settled()) {
      return Optional.of("The kubelet has not listed its pods yet");
    }
    return plugin
        .obstacle()
        .or(
            () ->
                plugin.listening()
                    ? Optional.empty()
                    : Optional.of("The kubelet has not asked for the units yet"));
  }

  private String metrics() {
    return """
        # HELP baetyl_gpu_corrections_total Pods that got another card than the one decided for them.
        # TYPE baetyl_gpu_corrections_total counter
        baetyl_gpu_corrections_total{node="%s"} %d
        """
        .formatted(options.nodeName(), annotations.count());
  }

  /**
   * Stops so that no pod is lost: first the scheduler is told, then the pods that are on their way
   * get their cards, and only then the kubelet is left alone.
   */
  @Override
  public void close() {
    if (bookkeeper == null || bookkeeping == null) {
      return;
    }
    LOG.info("Stopping. node={}", options.nodeName());
    bookkeeper.announceStop();
    awaitExpected();
    plugin.stop(REQUESTS_MILLIS);
    bookkeeping.interrupt();
    bookkeeper.announceStop();
    health.close();
    annotations.close();
    podResources.close();
    sockets.close();
    node.close();
    client.close();
  }

  private void awaitExpected() {
    try {
      bookkeeper.awaitExpected(EXPECTED_PODS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private record Kubelet(KubeletPlugin plugin) implements Bookkeeper.Kubelet {
    @Override
    public void offer(List<Unit> units) {
      plugin.offer(units);
    }

    @Override
    public void settled() {
      plugin.resourceChanged();
    }

    @Override
    public boolean listening() {
      return plugin.listening();
    }

    @Override
    public Optional<String> obstacle() {
      return plugin.obstacle();
    }
  }
}
