package io.baetyl.gpu.deviceplugin;

import io.baetyl.gpu.accelerator.nvidia.NvidiaContainerAccess;
import io.baetyl.gpu.deviceplugin.cluster.AnnotationWriter;
import io.baetyl.gpu.deviceplugin.cluster.ClusterNode;
import io.baetyl.gpu.deviceplugin.cluster.StatusWriter;
import io.baetyl.gpu.deviceplugin.kubelet.KubeletPlugin;
import io.baetyl.gpu.deviceplugin.node.PodCgroups;
import io.baetyl.gpu.platform.Clients;
import io.baetyl.gpu.platform.HealthEndpoint;
import io.baetyl.gpu.platform.Role;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands shared NVIDIA cards of one node out to its pods. */
final class DevicePluginRole implements Role {
  private static final Logger LOG = LoggerFactory.getLogger(DevicePluginRole.class);

  private final DevicePluginOptions options;
  private KubernetesClient client;
  private ClusterNode node;
  private AnnotationWriter annotations;
  private volatile NodePlugin plugin;
  private HealthEndpoint health;
  private volatile boolean started;

  DevicePluginRole(DevicePluginOptions options) {
    this.options = options;
  }

  @Override
  public void start() throws IOException {
    client = Clients.create();
    node = new ClusterNode(client, options.nodeName(), this::changed);
    annotations = new AnnotationWriter(client);
    plugin =
        new NodePlugin(
            new NodePlugin.Surroundings(
                options.nodeName(),
                options.devicePluginsFolder(),
                options.podResourcesSocket(),
                new NvidiaContainerAccess(options.hostRoot(), Path.of("/"))::to,
                new PodCgroups(options.cgroupRoot())::alive,
                node,
                node::cards,
                node::reportedRules,
                node::synced,
                annotations,
                new StatusWriter(client, node, options.nodeName())));
    health = new HealthEndpoint(options.healthPort(), plugin::whyNotReady);
    health.serve("/metrics", this::metrics);
    health.start();
    node.start();
    plugin.start();
    started = true;
    LOG.info("Started. node={} endpoint={}", options.nodeName(), KubeletPlugin.ENDPOINT);
  }

  private void changed() {
    var running = plugin;
    if (running != null) {
      running.changed();
    }
  }

  private String metrics() {
    return """
        # HELP baetyl_gpu_corrections_total Pods that got another card than the one decided for them.
        # TYPE baetyl_gpu_corrections_total counter
        baetyl_gpu_corrections_total{node="%s"} %d
        """
        .formatted(options.nodeName(), annotations.count());
  }

  @Override
  public void close() {
    if (!started) {
      return;
    }
    LOG.info("Stopping. node={}", options.nodeName());
    plugin.stop();
    health.close();
    annotations.close();
    node.close();
    client.close();
  }
}
