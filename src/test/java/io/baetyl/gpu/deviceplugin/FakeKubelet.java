package io.baetyl.gpu.deviceplugin;

import io.baetyl.gpu.deviceplugin.kubelet.DomainSockets;
import io.baetyl.gpu.kubelet.deviceplugin.AllocateRequest;
import io.baetyl.gpu.kubelet.deviceplugin.ContainerAllocateRequest;
import io.baetyl.gpu.kubelet.deviceplugin.ContainerAllocateResponse;
import io.baetyl.gpu.kubelet.deviceplugin.ContainerPreferredAllocationRequest;
import io.baetyl.gpu.kubelet.deviceplugin.Device;
import io.baetyl.gpu.kubelet.deviceplugin.DevicePluginGrpc;
import io.baetyl.gpu.kubelet.deviceplugin.Empty;
import io.baetyl.gpu.kubelet.deviceplugin.ListAndWatchResponse;
import io.baetyl.gpu.kubelet.deviceplugin.PreferredAllocationRequest;
import io.baetyl.gpu.kubelet.deviceplugin.RegisterRequest;
import io.baetyl.gpu.kubelet.deviceplugin.RegistrationGrpc;
import io.baetyl.gpu.kubelet.podresources.ContainerDevices;
import io.baetyl.gpu.kubelet.podresources.ContainerResources;
import io.baetyl.gpu.kubelet.podresources.ListPodResourcesRequest;
import io.baetyl.gpu.kubelet.podresources.ListPodResourcesResponse;
import io.baetyl.gpu.kubelet.podresources.PodResources;
import io.baetyl.gpu.kubelet.podresources.PodResourcesListerGrpc;
import io.baetyl.gpu.model.ContainerRequest;
import io.baetyl.gpu.model.ContainerRequest.Kind;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * A kubelet as far as device plugins know one, on real sockets. Allocates as the device manager of
 * 1.36 does, its weaknesses included.
 */
final class FakeKubelet implements AutoCloseable {

  /** A pod as the kubelet has it. */
  record Pod(String namespace, String name, String uid, List<ContainerRequest> containers) {}

  private final Path folder;
  private final DomainSockets sockets = new DomainSockets();
  private final List<Server> servers = new ArrayList<>();
  private final List<RegisterRequest> registrations = new CopyOnWriteArrayList<>();
  private final Map<String, Pod> pods = new LinkedHashMap<>();

  // As in the device manager: what containers have, and what counts as in use.
  private final Map<String, Map<String, Set<String>>> podDevices = new HashMap<>();
  private Set<String> allocated = new HashSet<>();

  /** The units out by the checkpoint file, which another kubelet would start with. */
  private volatile Set<String> onDisk = Set.of();

  private volatile List<Device> devices = List.of();
  private volatile ManagedChannel plugin;
  private volatile long startedNanos;
  private volatile long listenedNanos;
  private volatile int lists;
  private volatile boolean silent;

  FakeKubelet(Path folder) {
    this.folder = folder;
  }

  Path devicePlugins() {
    return folder.resolve("device-plugins");
  }

  Path podResources() {
    return folder.resolve("pod-resources/kubelet.sock");
  }

  /**
   * Starts as after a boot or a restart: the folder is emptied of sockets, plugins are forgotten.
   */
  FakeKubelet start() throws IOException {
    Files.createDirectories(devicePlugins());
    Files.createDirectories(podResources().getParent());
    Files.deleteIfExists(podResources());
    try (var files = Files.list(devicePlugins())) {
      for (var file : files.filter(path -> path.toString().endsWith(".sock")).toList()) {
        Files.delete(file);
      }
    }
    devices = List.of();
    servers.add(sockets.server(podResources()).addService(new Lister()).build().start());
    startedNanos = System.nanoTime();
    servers.add(
        sockets
            .server(devicePlugins().resolve("kubelet.sock"))
            .addService(new Registrar())
            .build()
            .start());
    return this;
  }

  /** Ends, and leaves its sockets behind, as a killed one does. */
  void kill() {
    for (var server : servers) {
      ended(server.shutdownNow());
    }
    servers.clear();
    disconnect();
  }

  private static void ended(Server server) {
    try {
      server.awaitTermination(1, TimeUnit.SECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Drops the connection to the plugin only. */
  void disconnect() {
    if (plugin != null) {
      plugin.shutdownNow();
      plugin = null;
    }
  }

  List<RegisterRequest> registrations() {
    return registrations;
  }

  List<Device> devices() {
    return devices;
  }

  int lists() {
    return lists;
  }

  /** Answers no list any more, as one that stands still. */
  void silence() {
    silent = true;
  }

  /** From the start of this kubelet to the first list of units. */
  long registrationMillis() {
    return TimeUnit.NANOSECONDS.toMillis(listenedNanos - startedNanos);
  }

  /** A pod that is there without having been admitted by this kubelet. */
  synchronized void add(Pod pod) {
    pods.put(pod.uid(), pod);
  }

  /**
   * Admits a pod: allocates for its containers one by one.
   *
   * @return container → what it was given
   * @throws StatusRuntimeException if the plugin refuses; the pod is gone then
   */
  Map<String, ContainerAllocateResponse> admit(Pod pod) {
    add(pod);
    try {
      return allocate(pod);
    } catch (StatusRuntimeException refused) {
      synchronized (this) {
        pods.remove(pod.uid());
        allocated = inUse();
      }
      throw refused;
    }
  }

  /** What happens when somebody lists PodResources during an Allocate while another pod ends. */
  synchronized void forgetWhatIsInUse() {
    allocated = new HashSet<>();
  }

  /** Forgets a pod, as after its end or a force delete. */
  synchronized void remove(String uid) {
    pods.remove(uid);
  }

  synchronized Set<String> idsOf(String uid, String container) {
    return podDevices.getOrDefault(uid, Map.of()).getOrDefault(container, Set.of());
  }

  Set<String> onDisk() {
    return onDisk;
  }

  private Map<String, ContainerAllocateResponse> allocate(Pod pod) {
    var given = new LinkedHashMap<String, ContainerAllocateResponse>();
    var reusable = new HashSet<String>();
    for (var container : pod.containers()) {
      if (container.units() > 0 && idsOf(pod.uid(), container.name()).isEmpty()) {
        updateAllocated();
        var ids = devicesToAllocate(container.units(), reusable);
        given.put(container.name(), callAllocate(ids));
        synchronized (this) {
          podDevices.computeIfAbsent(pod.uid(), uid -> new HashMap<>()).put(container.name(), ids);
          onDisk = inUse();
        }
      }
      if (container.kind() == Kind.INIT) {
        reusable.addAll(idsOf(pod.uid(), container.name()));
      } else {
        reusable.removeAll(idsOf(pod.uid(), container.name()));
      }
    }
    return given;
  }

  private Set<String> devicesToAllocate(int required, Set<String> reusable) {
    var ids = new HashSet<String>();
    for (var id : reusable) {
      if (ids.size() < required) {
        ids.add(id);
      }
    }
    if (ids.size() == required) {
      return ids;
    }
    Set<String> available = new HashSet<>();
    synchronized (this) {
      devices.stream()
          .filter(device -> device.getHealth().equals("Healthy"))
          .map(Device::getID)
          .filter(id -> !allocated.contains(id))
          .forEach(available::add);
    }
    var preferred = callPreferred(available, ids, required);
    preferred.retainAll(available);
    for (var id : preferred) {
      if (ids.size() < required) {
        ids.add(id);
      }
    }
    for (var id : available) {
      if (ids.size() < required) {
        ids.add(id);
      }
    }
    synchronized (this) {
      allocated.addAll(ids);
    }
    return ids;
  }

  Set<String> callPreferred(Set<String> available, Set<String> mustInclude, int size) {
    var offered = new HashSet<>(available);
    offered.addAll(mustInclude);
    var response =
        DevicePluginGrpc.newBlockingStub(plugin)
            .withDeadlineAfter(10, TimeUnit.SECONDS)
            .getPreferredAllocation(
                PreferredAllocationRequest.newBuilder()
                    .addContainerRequests(
                        ContainerPreferredAllocationRequest.newBuilder()
                            .addAllAvailableDeviceIDs(offered)
                            .addAllMustIncludeDeviceIDs(mustInclude)
                            .setAllocationSize(size))
                    .build());
    return new HashSet<>(response.getContainerResponses(0).getDeviceIDsList());
  }

  ContainerAllocateResponse callAllocate(Collection<String> ids) {
    return DevicePluginGrpc.newBlockingStub(plugin)
        .withDeadlineAfter(10, TimeUnit.SECONDS)
        .allocate(
            AllocateRequest.newBuilder()
                .addContainerRequests(ContainerAllocateRequest.newBuilder().addAllDevicesIds(ids))
                .build())
        .getContainerResponses(0);
  }

  private synchronized void updateAllocated() {
    if (podDevices.keySet().retainAll(pods.keySet())) {
      allocated = inUse();
    }
  }

  private Set<String> inUse() {
    var all = new HashSet<String>();
    podDevices.values().forEach(containers -> containers.values().forEach(all::addAll));
    return all;
  }

  @Override
  public void close() {
    kill();
    sockets.close();
  }

  private final class Registrar extends RegistrationGrpc.RegistrationImplBase {
    @Override
    public void register(RegisterRequest request, StreamObserver<Empty> answer) {
      registrations.add(request);
      disconnect();
      plugin = sockets.channel(devicePlugins().resolve(request.getEndpoint()));
      DevicePluginGrpc.newBlockingStub(plugin).getDevicePluginOptions(Empty.getDefaultInstance());
      // A call made in the context of this one would end with it.
      Context.ROOT.run(
          () ->
              DevicePluginGrpc.newStub(plugin)
                  .listAndWatch(Empty.getDefaultInstance(), new Devices()));
      answer.onNext(Empty.getDefaultInstance());
      answer.onCompleted();
    }
  }

  private final class Devices implements StreamObserver<ListAndWatchResponse> {
    private boolean first = true;

    @Override
    public void onNext(ListAndWatchResponse response) {
      if (first) {
        listenedNanos = System.nanoTime();
        first = false;
      }
      devices = response.getDevicesList();
      synchronized (FakeKubelet.this) {
        onDisk = inUse();
      }
    }

    @Override
    public void onError(Throwable broken) {
      // As after the end: the next registration opens another stream.
    }

    @Override
    public void onCompleted() {}
  }

  private final class Lister extends PodResourcesListerGrpc.PodResourcesListerImplBase {
    @Override
    public void list(
        ListPodResourcesRequest request, StreamObserver<ListPodResourcesResponse> answer) {
      if (silent) {
        return;
      }
      updateAllocated();
      var response = ListPodResourcesResponse.newBuilder();
      synchronized (FakeKubelet.this) {
        lists++;
        for (var pod : pods.values()) {
          var listed = PodResources.newBuilder().setNamespace(pod.namespace()).setName(pod.name());
          for (var container : pod.containers()) {
            if (container.kind() != Kind.INIT) {
              var resources = ContainerResources.newBuilder().setName(container.name());
              var ids = idsOf(pod.uid(), container.name());
              if (!ids.isEmpty()) {
                resources.addDevices(
                    ContainerDevices.newBuilder()
                        .setResourceName("baidu.com/vcuda-memory")
                        .addAllDeviceIds(ids));
              }
              listed.addContainers(resources);
            }
          }
          response.addPodResources(listed);
        }
      }
      answer.onNext(response.build());
      answer.onCompleted();
    }
  }
}
