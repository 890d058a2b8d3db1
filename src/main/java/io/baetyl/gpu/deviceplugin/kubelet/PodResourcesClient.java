package io.baetyl.gpu.deviceplugin.kubelet;

import io.baetyl.gpu.deviceplugin.allocation.KubeletListing;
import io.baetyl.gpu.deviceplugin.allocation.ListedContainer;
import io.baetyl.gpu.kubelet.podresources.ContainerResources;
import io.baetyl.gpu.kubelet.podresources.ListPodResourcesRequest;
import io.baetyl.gpu.kubelet.podresources.ListPodResourcesResponse;
import io.baetyl.gpu.kubelet.podresources.PodResourcesListerGrpc;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The kubelet's PodResources, those of one resource apart from the others. */
public final class PodResourcesClient implements KubeletListing, AutoCloseable {
  /** The kubelet holds the admission of a pod up meanwhile; it answers within milliseconds. */
  private static final int TIMEOUT_SECONDS = 2;

  private final Path socket;
  private final Supplier<Optional<String>> resourceName;
  private final ManagedChannel channel;

  public PodResourcesClient(
      DomainSockets sockets, Path socket, Supplier<Optional<String>> resourceName) {
    this.socket = socket;
    this.resourceName = resourceName;
    this.channel = sockets.channel(socket);
  }

  @Override
  public List<ListedContainer> list() throws IOException {
    try {
      return containers(call());
    } catch (StatusRuntimeException unanswered) {
      throw new IOException(socket + ": " + unanswered.getMessage(), unanswered);
    }
  }

  private ListPodResourcesResponse call() {
    // After a restart of the kubelet the channel waits for longer and longer before it tries again.
    channel.resetConnectBackoff();
    return PodResourcesListerGrpc.newBlockingStub(channel)
        .withDeadlineAfter(TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .list(ListPodResourcesRequest.getDefaultInstance());
  }

  private List<ListedContainer> containers(ListPodResourcesResponse response) {
    var resource = resourceName.get().orElse("");
    var containers = new ArrayList<ListedContainer>();
    for (var pod : response.getPodResourcesList()) {
      for (var container : pod.getContainersList()) {
        var ids = ids(container);
        var ours = ids.remove(resource);
        containers.add(
            new ListedContainer(
                pod.getNamespace(),
                pod.getName(),
                container.getName(),
                ours == null ? Set.of() : ours,
                ids));
      }
    }
    return containers;
  }

  /** Resource → ids; of a resource there is an entry for each NUMA node. */
  private static Map<String, Set<String>> ids(ContainerResources container) {
    var ids = new HashMap<String, Set<String>>();
    for (var devices : container.getDevicesList()) {
      ids.computeIfAbsent(devices.getResourceName(), resource -> new HashSet<>())
          .addAll(devices.getDeviceIdsList());
    }
    return ids;
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
