package io.baetyl.gpu.deviceplugin;

import io.baetyl.gpu.accelerator.Requirements;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.deviceplugin.cluster.AnnotationWriter;
import io.baetyl.gpu.deviceplugin.cluster.ClusterNode;
import io.baetyl.gpu.deviceplugin.cluster.StatusWriter;
import io.baetyl.gpu.deviceplugin.node.PodCgroups;
import io.baetyl.gpu.deviceplugin.sharing.SharedStrategy;
import io.baetyl.gpu.deviceplugin.wholedevices.WholeDeviceStrategy;
import io.baetyl.gpu.platform.Clients;
import io.baetyl.gpu.platform.HealthEndpoint;
import io.baetyl.gpu.platform.Role;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands the accelerators of one node out to its pods. */
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
    node = new ClusterNode(client, options.nodeName(), this::resourceName, this::changed);
    annotations = new AnnotationWriter(client);
    var around =
        new NodePlugin.Surroundings(
            requirements().type(),
            endpoint(),
            options.devicePluginsFolder(),
            options.podResourcesSocket(),
            options.vendor().on(options.roots())::access,
            new PodCgroups(options.cgroupRoot())::alive,
            node,
            node::synced,
            new StatusWriter(client, node, options.nodeName()));
    plugin =
        switch (options.allocation()) {
          case SHARED ->
              new NodePlugin(
                  around,
                  parts ->
                      SharedStrategy.of(parts, requirements().type(), node::status, annotations));
          case DEVICES ->
              new NodePlugin(
                  around,
                  parts ->
                      WholeDeviceStrategy.of(
                          parts, new ReportedDevices(requirements(), node::status)));
          case NONE -> throw new IllegalStateException("nothing to hand out");
        };
    health = new HealthEndpoint(options.healthPort(), plugin::whyNotReady);
    health.serve("/metrics", this::metrics);
    health.start();
    node.start();
    plugin.start();
    started = true;
    LOG.info("Started. node={} endpoint={}", options.nodeName(), endpoint());
  }

  private Requirements requirements() {
    return options.vendor().requirements();
  }

  private String endpoint() {
    return "baetyl-%s-%s.sock"
        .formatted(requirements().type(), options.allocation().value().toLowerCase(Locale.ROOT));
  }

  private Optional<String> resourceName(GpuNodeStatus status) {
    return options.allocation() == AllocationMode.SHARED
        ? SharedStrategy.resourceName(status)
        : Optional.of(requirements().resourceName(status.devices()));
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
