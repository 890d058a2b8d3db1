package io.baetyl.gpu.deviceplugin;

import io.baetyl.gpu.accelerator.ContainerAccess;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.deviceplugin.sharing.SharedStrategy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The plugin of a process that runs, with the API server in memory. */
final class PluginUnderTest implements AutoCloseable {
  /** The UIDs of pods whose processes live. */
  final Set<String> alive;

  private final NodePlugin plugin;

  PluginUnderTest(FakeKubelet kubelet, FakeNode node) {
    this(kubelet, node, ConcurrentHashMap.newKeySet());
  }

  PluginUnderTest(FakeKubelet kubelet, FakeNode node, Set<String> alive) {
    this.alive = alive;
    plugin =
        new NodePlugin(
            new NodePlugin.Surroundings(
                AcceleratorType.NVIDIA,
                "baetyl-nvidia-shared.sock",
                kubelet.devicePlugins(),
                kubelet.podResources(),
                all ->
                    granted ->
                        new ContainerAccess(
                            Map.of("NVIDIA_VISIBLE_DEVICES", granted.getFirst().id()),
                            List.of(),
                            List.of(),
                            List.of()),
                alive::contains,
                node,
                () -> true,
                node),
            parts -> SharedStrategy.of(parts, node::cards, node::reportedRules, node));
    plugin.start();
  }

  /** The watch has delivered something. */
  void changed() {
    plugin.changed();
  }

  /** Ends as a process that is told to. */
  void stop() {
    plugin.stop();
  }

  /** Ends as a killed process does. */
  @Override
  public void close() {
    plugin.close();
  }
}
