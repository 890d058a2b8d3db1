package io.baetyl.gpu.deviceplugin.cluster;

import io.baetyl.gpu.api.v1alpha1.FieldManagers;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.deviceplugin.NodeReport;
import io.baetyl.gpu.deviceplugin.allocation.AllocationRow;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.RequestConfig;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.util.Optional;

/** Writes the plugin's own fields of the GpuNode's status, and no others, by server-side apply. */
public final class StatusWriter implements NodeReport {
  private static final PatchContext APPLY =
      new PatchContext.Builder()
          .withPatchType(PatchType.SERVER_SIDE_APPLY)
          .withFieldManager(FieldManagers.DEVICE_PLUGIN)
          .withForce(true)
          .build();

  /**
   * The books are looked at again every few seconds, and SIGTERM must not wait for an API server
   * that is away.
   */
  private static final RequestConfig SOON =
      new RequestConfigBuilder().withRequestTimeout(3000).withRequestRetryBackoffLimit(0).build();

  private static final int MOST_TRIES = 3;

  private final KubernetesClient client;
  private final ClusterNode node;
  private final String nodeName;

  public StatusWriter(KubernetesClient client, ClusterNode node, String nodeName) {
    this.client = client.newClient(SOON).adapt(KubernetesClient.class);
    this.node = node;
    this.nodeName = nodeName;
  }

  @Override
  public Optional<Content> current() {
    return node.gpuNode().map(StatusWriter::content);
  }

  @Override
  public void write(Content content) throws IOException {
    try {
      apply(content, null);
    } catch (KubernetesClientException refused) {
      throw new IOException(refused.getMessage(), refused);
    }
  }

  /** In the version in which it was found; the others who write into the status do so often. */
  @Override
  public boolean replace(Content expected, Content content) throws IOException {
    for (int tries = 1; ; tries++) {
      try {
        var now = client.resources(GpuNode.class).withName(nodeName).get();
        if (now == null || !content(now).equals(expected)) {
          return false;
        }
        apply(content, now.getMetadata().getResourceVersion());
        return true;
      } catch (KubernetesClientException refused) {
        if (refused.getCode() != HttpURLConnection.HTTP_CONFLICT || tries == MOST_TRIES) {
          throw new IOException(refused.getMessage(), refused);
        }
      }
    }
  }

  private static Content content(GpuNode gpuNode) {
    var status = gpuNode.statusOrEmpty();
    return new Content(
        Optional.ofNullable(status.plugin()),
        // After several applies the API server's order is not always that of the last one.
        status.allocations().stream().sorted(AllocationRow.IN_ORDER).toList());
  }

  /**
   * @param version to be written onto; null for any
   */
  private void apply(Content content, String version) {
    var intent = new GpuNode();
    intent.setMetadata(
        new ObjectMetaBuilder().withName(nodeName).withResourceVersion(version).build());
    intent.setStatus(
        GpuNodeStatus.ofDevicePlugin(content.plugin().orElse(null), content.allocations()));
    client.resource(intent).subresource("status").patch(APPLY);
  }
}
