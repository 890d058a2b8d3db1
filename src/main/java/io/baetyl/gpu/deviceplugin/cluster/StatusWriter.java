package io.baetyl.gpu.deviceplugin.cluster;

import io.baetyl.gpu.api.v1alpha1.FieldManagers;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.deviceplugin.NodeReport;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.RequestConfig;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
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
    return node.gpuNode()
        .map(GpuNode::statusOrEmpty)
        .map(status -> new Content(Optional.ofNullable(status.plugin()), status.allocations()));
  }

  @Override
  public void write(Content content) throws IOException {
    var intent = new GpuNode();
    intent.setMetadata(new ObjectMetaBuilder().withName(nodeName).build());
    intent.setStatus(
        GpuNodeStatus.ofDevicePlugin(content.plugin().orElse(null), content.allocations()));
    try {
      client.resource(intent).subresource("status").patch(APPLY);
    } catch (KubernetesClientException refused) {
      throw new IOException(refused.getMessage(), refused);
    }
  }
}
