package io.baetyl.gpu.cluster;

import io.baetyl.gpu.deviceplugin.kubelet.DomainSockets;
import io.baetyl.gpu.kubelet.podresources.ListPodResourcesRequest;
import io.baetyl.gpu.kubelet.podresources.PodResourcesListerGrpc;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Somebody else who asks a kubelet for its PodResources all the time, as monitoring agents do. */
final class PodResourcesLister implements AutoCloseable {
  private static final long PAUSE_MILLIS = 5;

  private final DomainSockets sockets = new DomainSockets();
  private final AtomicLong lists = new AtomicLong();
  private final Thread thread;

  PodResourcesLister(String node) {
    var socket = TestCluster.root(node).resolve("var/lib/kubelet/pod-resources/kubelet.sock");
    thread = Thread.ofPlatform().name("lister").daemon().start(() -> listOn(socket));
  }

  /** How often it has been answered. */
  long lists() {
    return lists.get();
  }

  private void listOn(Path socket) {
    var channel = sockets.channel(socket);
    try {
      while (!Thread.currentThread().isInterrupted()) {
        try {
          PodResourcesListerGrpc.newBlockingStub(channel)
              .withDeadlineAfter(5, TimeUnit.SECONDS)
              .list(ListPodResourcesRequest.getDefaultInstance());
          lists.incrementAndGet();
        } catch (StatusRuntimeException refused) {
          // The kubelet takes no more than 100 calls a second.
        }
        Thread.sleep(PAUSE_MILLIS);
      }
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    } finally {
      channel.shutdownNow();
    }
  }

  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join(5000);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    sockets.close();
  }
}
