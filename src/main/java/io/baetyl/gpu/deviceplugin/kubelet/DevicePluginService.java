package io.baetyl.gpu.deviceplugin.kubelet;

import io.baetyl.gpu.accelerator.ContainerAccess;
import io.baetyl.gpu.deviceplugin.allocation.AllocationRefusedException;
import io.baetyl.gpu.deviceplugin.allocation.Allocator;
import io.baetyl.gpu.deviceplugin.allocation.Grant;
import io.baetyl.gpu.kubelet.deviceplugin.AllocateRequest;
import io.baetyl.gpu.kubelet.deviceplugin.AllocateResponse;
import io.baetyl.gpu.kubelet.deviceplugin.CDIDevice;
import io.baetyl.gpu.kubelet.deviceplugin.ContainerAllocateResponse;
import io.baetyl.gpu.kubelet.deviceplugin.ContainerPreferredAllocationResponse;
import io.baetyl.gpu.kubelet.deviceplugin.DevicePluginGrpc.DevicePluginImplBase;
import io.baetyl.gpu.kubelet.deviceplugin.DevicePluginOptions;
import io.baetyl.gpu.kubelet.deviceplugin.DeviceSpec;
import io.baetyl.gpu.kubelet.deviceplugin.Empty;
import io.baetyl.gpu.kubelet.deviceplugin.ListAndWatchResponse;
import io.baetyl.gpu.kubelet.deviceplugin.Mount;
import io.baetyl.gpu.kubelet.deviceplugin.PreStartContainerRequest;
import io.baetyl.gpu.kubelet.deviceplugin.PreStartContainerResponse;
import io.baetyl.gpu.kubelet.deviceplugin.PreferredAllocationRequest;
import io.baetyl.gpu.kubelet.deviceplugin.PreferredAllocationResponse;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Set;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The kubelet's device plugin API, v1beta1. Says in gRPC what {@link Allocator} decides. */
final class DevicePluginService extends DevicePluginImplBase {
  private static final Logger LOG = LoggerFactory.getLogger(DevicePluginService.class);

  static final DevicePluginOptions OPTIONS =
      DevicePluginOptions.newBuilder().setGetPreferredAllocationAvailable(true).build();

  private final Allocator allocator;
  private final Function<Grant, ContainerAccess> access;
  private final UnitStreams units;
  private final AdmissionWindow window;
  private final Listener listener;

  /** Is told of what the kubelet does. */
  interface Listener {
    /** The kubelet asks for the units: from now on it can hand them out. */
    void listening();

    /** The kubelet does not listen any more. */
    void deaf();

    /** Units were handed out or offered. */
    void allocated();
  }

  DevicePluginService(
      Allocator allocator,
      Function<Grant, ContainerAccess> access,
      UnitStreams units,
      AdmissionWindow window,
      Listener listener) {
    this.allocator = allocator;
    this.access = access;
    this.units = units;
    this.window = window;
    this.listener = listener;
  }

  @Override
  public void getDevicePluginOptions(Empty request, StreamObserver<DevicePluginOptions> answer) {
    answer.onNext(OPTIONS);
    answer.onCompleted();
  }

  @Override
  public void listAndWatch(Empty request, StreamObserver<ListAndWatchResponse> answer) {
    var stream = (ServerCallStreamObserver<ListAndWatchResponse>) answer;
    stream.setOnCancelHandler(
        () -> {
          units.closed(stream);
          listener.deaf();
        });
    units.open(stream);
    listener.listening();
  }

  @Override
  public void getPreferredAllocation(
      PreferredAllocationRequest request, StreamObserver<PreferredAllocationResponse> answer) {
    var response = PreferredAllocationResponse.newBuilder();
    boolean preferred = false;
    window.callBegins();
    try {
      for (var container : request.getContainerRequestsList()) {
        var ids =
            allocator.prefer(
                Set.copyOf(container.getAvailableDeviceIDsList()),
                Set.copyOf(container.getMustIncludeDeviceIDsList()),
                container.getAllocationSize());
        response.addContainerResponses(
            ContainerPreferredAllocationResponse.newBuilder().addAllDeviceIDs(ids));
      }
      preferred = true;
    } catch (AllocationRefusedException refused) {
      refuse(answer, refused);
      return;
    } finally {
      if (preferred) {
        window.preferred();
      } else {
        window.preferenceRefused();
      }
    }
    answer.onNext(response.build());
    answer.onCompleted();
  }

  @Override
  public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> answer) {
    window.callBegins();
    try {
      var response = AllocateResponse.newBuilder();
      for (var container : request.getContainerRequestsList()) {
        response.addContainerResponses(
            response(access.apply(allocator.allocate(container.getDevicesIdsList()))));
      }
      answer.onNext(response.build());
      answer.onCompleted();
    } catch (AllocationRefusedException refused) {
      refuse(answer, refused);
    } finally {
      window.allocateEnds();
    }
    listener.allocated();
  }

  @Override
  public void preStartContainer(
      PreStartContainerRequest request, StreamObserver<PreStartContainerResponse> answer) {
    answer.onNext(PreStartContainerResponse.getDefaultInstance());
    answer.onCompleted();
  }

  private static ContainerAllocateResponse response(ContainerAccess access) {
    var response = ContainerAllocateResponse.newBuilder().putAllEnvs(access.environment());
    for (var node : access.deviceNodes()) {
      response.addDevices(
          DeviceSpec.newBuilder().setContainerPath(node).setHostPath(node).setPermissions("rw"));
    }
    for (var mount : access.mounts()) {
      response.addMounts(
          Mount.newBuilder()
              .setHostPath(mount.hostPath())
              .setContainerPath(mount.containerPath())
              .setReadOnly(true));
    }
    for (var name : access.cdiDevices()) {
      response.addCdiDevices(CDIDevice.newBuilder().setName(name));
    }
    return response.build();
  }

  private static void refuse(StreamObserver<?> answer, AllocationRefusedException refused) {
    LOG.warn("Refused. reason={}", refused.getMessage());
    answer.onError(
        Status.RESOURCE_EXHAUSTED.withDescription(refused.getMessage()).asRuntimeException());
  }
}
