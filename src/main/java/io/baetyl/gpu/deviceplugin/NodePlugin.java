package io.baetyl.gpu.deviceplugin;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.deviceplugin.allocation.AllocationStrategy;
import io.baetyl.gpu.deviceplugin.allocation.Inventory;
import io.baetyl.gpu.deviceplugin.allocation.Ledger;
import io.baetyl.gpu.deviceplugin.allocation.NodePods;
import io.baetyl.gpu.deviceplugin.allocation.Unit;
import io.baetyl.gpu.deviceplugin.kubelet.AdmissionWindow;
import io.baetyl.gpu.deviceplugin.kubelet.DomainSockets;
import io.baetyl.gpu.deviceplugin.kubelet.KubeletPlugin;
import io.baetyl.gpu.deviceplugin.kubelet.OtherPlugins;
import io.baetyl.gpu.deviceplugin.kubelet.PodResourcesClient;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;

/** The plugin put together: its books, its answers to the kubelet, its account in the status. */
final class NodePlugin implements AutoCloseable {
  /** Together well below the 30 s that a pod has to stop. */
  private static final Duration EXPECTED_PODS = Duration.ofSeconds(5);

  private static final long REQUESTS_MILLIS = 2000;

  /**
   * What the plugin finds around itself.
   *
   * @param accelerator the type of the devices that are handed out
   * @param endpoint the name of the plugin's socket, the same for ever, so that a left one is
   *     recognised and replaced
   * @param devicePlugins the kubelet's folder of device plugins
   * @param podResources the kubelet's socket of PodResources
   * @param vendor looks what containers need to use devices
   * @param alive whether a pod has processes, by its UID on the node
   * @param pods the pods of the node
   * @param synced whether pods and devices have been seen once
   * @param report the plugin's fields of the status
   */
  record Surroundings(
      AcceleratorType accelerator,
      String endpoint,
      Path devicePlugins,
      Path podResources,
      DeviceAccess.Look vendor,
      Predicate<String> alive,
      NodePods pods,
      BooleanSupplier synced,
      NodeReport report) {}

  private final Surroundings around;
  private final DomainSockets sockets = new DomainSockets();
  private final AllocationStrategy<?> strategy;
  private final PodResourcesClient podResources;
  private final KubeletPlugin plugin;
  private final Bookkeeper<?> bookkeeper;
  private final Thread bookkeeping;

  /**
   * @param strategyOf how devices are handed out, made of what the plugin has
   */
  <S extends Inventory> NodePlugin(
      Surroundings around,
      Function<AllocationStrategy.Dependencies, AllocationStrategy<S>> strategyOf) {
    this.around = around;
    podResources = new PodResourcesClient(sockets, around.podResources(), this::resource);
    var ledger = new Ledger();
    var window = new AdmissionWindow();
    var access = new DeviceAccess(around.vendor());
    var strategy =
        strategyOf.apply(
            new AllocationStrategy.Dependencies(
                ledger,
                around.pods(),
                podResources,
                around.alive(),
                this::isSettled,
                this::earlier));
    this.strategy = strategy;
    plugin =
        new KubeletPlugin(
            sockets,
            around.devicePlugins(),
            around.endpoint(),
            strategy.allocator(),
            access::of,
            window,
            this::settledResource,
            this::changed);
    var kubelet = new Kubelet(plugin);
    bookkeeper =
        new Bookkeeper<>(
            () -> around.synced().getAsBoolean() ? strategy.inventory().get() : Optional.empty(),
            around.pods(),
            podResources,
            this::hasPredecessor,
            window::quiet,
            around.alive(),
            ledger,
            strategy.books(),
            access,
            kubelet,
            new StatusAccount(around.report(), kubelet, around.accelerator()),
            Clock.systemUTC());
    bookkeeping = Thread.ofPlatform().name("bookkeeper").daemon().unstarted(bookkeeper::run);
  }

  void start() {
    plugin.start();
    bookkeeping.start();
  }

  /** Something has happened at the API server, or to the processes of a pod. */
  void changed() {
    bookkeeper.wake();
    plugin.resourceChanged();
  }

  private boolean isSettled() {
    return bookkeeper.settled();
  }

  private Optional<String> resource() {
    return strategy.resourceName();
  }

  private boolean hasPredecessor() {
    return OtherPlugins.serve(around.devicePlugins(), around.endpoint());
  }

  private List<Allocation> earlier() {
    return bookkeeper.earlier();
  }

  /** Units are offered once it is known who has which. */
  private Optional<String> settledResource() {
    return isSettled() ? resource() : Optional.empty();
  }

  /** Why no pod can get a card from here, in a sentence; empty where it can. */
  Optional<String> whyNotReady() {
    if (!around.synced().getAsBoolean()) {
      return Optional.of("The API server has not answered yet");
    }
    if (resource().isEmpty()) {
      return Optional.of("What there is to hand out is not known: " + strategy.unknown());
    }
    if (!isSettled() && hasPredecessor()) {
      return Optional.of("Another device plugin of this node has not ended yet");
    }
    if (!isSettled()) {
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

  /**
   * Stops so that no pod is lost: first the scheduler is told, then the pods that are on their way
   * get their cards, and only then the kubelet is left alone.
   */
  void stop() {
    bookkeeper.announceStop();
    try {
      bookkeeper.awaitExpected(EXPECTED_PODS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    plugin.stop(REQUESTS_MILLIS);
    bookkeeping.interrupt();
    bookkeeper.announceStop();
    close();
  }

  /** Stops as a process that is killed: says nothing, waits for nothing. */
  @Override
  public void close() {
    bookkeeping.interrupt();
    plugin.stop(0);
    podResources.close();
    sockets.close();
  }

  private record Kubelet(KubeletPlugin plugin) implements KubeletSide {
    @Override
    public void offer(List<Unit> units) {
      plugin.offer(units);
    }

    @Override
    public void save() {
      plugin.save();
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
