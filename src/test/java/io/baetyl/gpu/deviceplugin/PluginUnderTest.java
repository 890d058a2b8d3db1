package io.baetyl.gpu.deviceplugin;

import io.baetyl.gpu.accelerator.ContainerAccess;
import io.baetyl.gpu.deviceplugin.allocation.Allocator;
import io.baetyl.gpu.deviceplugin.allocation.Books;
import io.baetyl.gpu.deviceplugin.allocation.Decisions;
import io.baetyl.gpu.deviceplugin.allocation.Ledger;
import io.baetyl.gpu.deviceplugin.allocation.Unit;
import io.baetyl.gpu.deviceplugin.kubelet.AdmissionWindow;
import io.baetyl.gpu.deviceplugin.kubelet.DomainSockets;
import io.baetyl.gpu.deviceplugin.kubelet.KubeletPlugin;
import io.baetyl.gpu.deviceplugin.kubelet.PodResourcesClient;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The whole plugin but for the API server, which is in memory. */
final class PluginUnderTest implements AutoCloseable {
  /** The UIDs of pods whose processes live. */
  final Set<String> alive;

  final Bookkeeper bookkeeper;
  private final DomainSockets sockets = new DomainSockets();
  private final KubeletPlugin plugin;
  private final PodResourcesClient podResources;
  private final Thread bookkeeping;

  PluginUnderTest(FakeKubelet kubelet, FakeNode node) {
    this(kubelet, node, ConcurrentHashMap.newKeySet());
  }

  PluginUnderTest(FakeKubelet kubelet, FakeNode node, Set<String> alive) {
    this.alive = alive;
    podResources =
        new PodResourcesClient(
            sockets, kubelet.podResources(), () -> Optional.of("baidu.com/vcuda-memory"));
    var ledger = new Ledger();
    var decisions = new Decisions();
    var window = new AdmissionWindow();
    var access =
        new CardAccess(
            device ->
                new ContainerAccess(
                    Map.of("NVIDIA_VISIBLE_DEVICES", device.id()), List.of(), List.of()));
    var allocator =
        new Allocator(ledger, decisions, node, podResources, node::cards, node, System::nanoTime);
    plugin =
        new KubeletPlugin(
            sockets,
            kubelet.devicePlugins(),
            allocator,
            access::of,
            window,
            this::resource,
            this::changed);
    bookkeeper =
        new Bookkeeper(
            node::cards,
            node,
            podResources,
            window::quiet,
            alive::contains,
            ledger,
            new Books(ledger, decisions, node),
            access,
            new Bookkeeper.Kubelet() {
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
            },
            node,
            Clock.systemUTC());
    plugin.start();
    bookkeeping = Thread.ofPlatform().daemon().start(bookkeeper::run);
  }

  private Optional<String> resource() {
    return bookkeeper.settled() ? Optional.of("baidu.com/vcuda-memory") : Optional.empty();
  }

  private void changed() {
    bookkeeper.wake();
    plugin.resourceChanged();
  }

  void stop() {
    bookkeeper.announceStop();
    plugin.stop(2000);
    close();
  }

  /** Ends as a killed process does. */
  @Override
  public void close() {
    bookkeeping.interrupt();
    plugin.stop(0);
    podResources.close();
    sockets.close();
  }
}
