package io.baetyl.gpu.deviceplugin.kubelet;

import io.baetyl.gpu.deviceplugin.allocation.Unit;
import io.baetyl.gpu.kubelet.deviceplugin.Device;
import io.baetyl.gpu.kubelet.deviceplugin.ListAndWatchResponse;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;

/** The kubelet's open ListAndWatch streams and what was last sent on them. */
final class UnitStreams {
  private final Set<ServerCallStreamObserver<ListAndWatchResponse>> streams =
      new CopyOnWriteArraySet<>();
  private ListAndWatchResponse current = ListAndWatchResponse.getDefaultInstance();

  synchronized void open(ServerCallStreamObserver<ListAndWatchResponse> stream) {
    streams.add(stream);
    stream.onNext(current);
  }

  void closed(ServerCallStreamObserver<ListAndWatchResponse> stream) {
    streams.remove(stream);
  }

  boolean anyOpen() {
    return !streams.isEmpty();
  }

  /** Sends the units to the kubelet, unless it knows them so already. */
  synchronized void send(ListAndWatchResponse next) {
    if (!next.equals(current)) {
      current = next;
      streams.stream().filter(stream -> !stream.isCancelled()).forEach(open -> open.onNext(next));
    }
  }

  /** Sends once more what was sent last. */
  synchronized void repeat() {
    var last = current;
    streams.stream().filter(stream -> !stream.isCancelled()).forEach(open -> open.onNext(last));
  }

  /** Ends all streams: the kubelet takes the plugin for stopped. */
  synchronized void end() {
    streams.stream().filter(stream -> !stream.isCancelled()).forEach(open -> open.onCompleted());
    streams.clear();
  }

  /** The message that tells the kubelet of units. */
  static ListAndWatchResponse encode(List<Unit> units) {
    var response = ListAndWatchResponse.newBuilder();
    for (var unit : units) {
      response.addDevices(
          Device.newBuilder().setID(unit.id()).setHealth(unit.healthy() ? "Healthy" : "Unhealthy"));
    }
    return response.build();
  }
}
