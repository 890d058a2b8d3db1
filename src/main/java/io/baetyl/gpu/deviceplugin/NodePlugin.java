package io.baetyl.gpu.deviceplugin;

import io.baetyl.gpu.accelerator.ContainerAccess;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.deviceplugin.allocation.Allocator;
import io.baetyl.gpu.deviceplugin.allocation.Books;
import io.baetyl.gpu.deviceplugin.allocation.Corrections;
import io.baetyl.gpu.deviceplugin.allocation.CountedCards;
import io.baetyl.gpu.deviceplugin.allocation.Decisions;
import io.baetyl.gpu.deviceplugin.allocation.Ledger;
import io.baetyl.gpu.deviceplugin.allocation.NodePods;
import io.baetyl.gpu.deviceplugin.allocation.SharedCards;
import io.baetyl.gpu.deviceplugin.allocation.Unit;
import io.baetyl.gpu.deviceplugin.kubelet.AdmissionWindow;
import io.baetyl.gpu.deviceplugin.kubelet.DomainSockets;
import io.baetyl.gpu.deviceplugin.kubelet.KubeletPlugin;
import io.baetyl.gpu.deviceplugin.kubelet.PodResourcesClient;
import io.baetyl.gpu.model.ShareRules;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The plugin put together: its books, its answers to the kubelet, its account in the status. */
final class NodePlugin implements AutoCloseable {
  /** Together well below the 30 s that a pod has to stop. */
  private static final Duration EXPECTED_PODS = Duration.ofSeconds(5);

  private static final long REQUESTS_MILLIS = 2000;

  /**
   * What the plugin finds around itself.
   *
   * @param nodeName the name of this node and of its GpuNode
   * @param devicePlugins the kubelet's folder of device plugins
   * @param podResources the kubelet's socket of PodResources
   * @param vendor what a container needs to use a card; may look at files
   * @param alive whether a pod has processes, by its UID on the node
   * @param pods the pods of the node
   * @param cards what is shared; empty while that is not known
   * @param reportedRules the rules in the units that this plugin said last to count; empty where it
   *     has said nothing
   * @param synced whether pods and cards have been seen once
   * @param corrections is told of pods that get another card than the decided one
   * @param report the plugin's fields of the status
   */
  record Surroundings(
      String nodeName,
      Path devicePlugins,
      Path podResources,
      Function<Device, ContainerAccess> vendor,
      Predicate<String> alive,
      NodePods pods,
      Supplier<Optional<SharedCards>> cards,
      Supplier<Optional<ShareRules>> reportedRules,
      BooleanSupplier synced,
      Corrections corrections,
      NodeReport report) {}

  private final Surroundings around;
  private final DomainSockets sockets = new DomainSockets();
  private final CountedCards cards;
  private final PodResourcesClient podResources;
  private final KubeletPlugin plugin;
  private final Bookkeeper bookkeeper;
  private final Thread bookkeeping;

  NodePlugin(Surroundings around) {
    this.around = around;
    podResources = new PodResourcesClient(sockets, around.podResources(), this::resource);
    var ledger = new Ledger();
    cards = new CountedCards(around.cards(), around.reportedRules(), this::isSettled, ledger);
    var decisions = new Decisions();
    var window = new AdmissionWindow();
    var access = new CardAccess(around.vendor());
    var allocator =
        new Allocator(
            ledger,
            decisions,
            around.pods(),
            podResources,
            cards,
            around.corrections(),
            System::nanoTime);
    plugin =
        new KubeletPlugin(
            sockets,
            around.devicePlugins(),
            allocator,
            access::of,
            window,
            this::settledResource,
            this::changed);
    bookkeeper =
        new Bookkeeper(
            this::syncedCards,
            around.pods(),
            podResources,
            window::quiet,
            around.alive(),
            ledger,
            new Books(ledger, decisions, around.corrections()),
            access,
            new Kubelet(plugin),
            around.report(),
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

  private Optional<SharedCards> syncedCards() {
    return around.synced().getAsBoolean() ? cards.get() : Optional.empty();
  }

  private boolean isSettled() {
    return bookkeeper.settled();
  }

  private Optional<String> resource() {
    return cards.get().map(shared -> shared.rules().resourceName());
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
      return Optional.of(
          "GpuNode " + around.nodeName() + " does not say in its status by which rules to share");
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

  private record Kubelet(KubeletPlugin plugin) implements Bookkeeper.Kubelet {
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
