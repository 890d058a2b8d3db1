package io.baetyl.gpu.cluster;

import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.deviceplugin.kubelet.DomainSockets;
import io.baetyl.gpu.kubelet.podresources.ListPodResourcesRequest;
import io.baetyl.gpu.kubelet.podresources.ListPodResourcesResponse;
import io.baetyl.gpu.kubelet.podresources.PodResourcesListerGrpc;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Somebody else who asks a kubelet for its PodResources all the time, as monitoring agents do. */
final class PodResourcesLister implements AutoCloseable {
  private static final long PAUSE_MILLIS = 5;

  /**
   * What the kubelet answered.
   *
   * @param beganNanos when it was asked, by {@link System#nanoTime}
   * @param endedNanos when it had answered
   * @param units of each pod that has any, by its name
   */
  record Answer(long beganNanos, long endedNanos, Map<String, List<String>> units) {

    boolean has(String pod) {
      return units.containsKey(pod);
    }

    /** The units that are out more than once. */
    Set<String> outTwice() {
      return units.values().stream()
          .flatMap(List::stream)
          .collect(Collectors.groupingBy(id -> id, Collectors.counting()))
          .entrySet()
          .stream()
          .filter(id -> id.getValue() > 1)
          .map(Map.Entry::getKey)
          .collect(Collectors.toSet());
    }
  }

  private final DomainSockets sockets = new DomainSockets();
  private final List<Answer> answers = new CopyOnWriteArrayList<>();
  private final String namespace;
  private final Thread thread;

  /**
   * @param namespace the one whose pods are told of
   */
  PodResourcesLister(String node, String namespace) {
    this.namespace = namespace;
    var socket = TestCluster.root(node).resolve("var/lib/kubelet/pod-resources/kubelet.sock");
    thread = Thread.ofPlatform().name("lister").daemon().start(() -> listOn(socket));
    await("the kubelet answers").atMost(Sharing.POD_START).until(() -> !answers.isEmpty());
  }

  /** What it has been answered so far, oldest first. */
  List<Answer> answers() {
    return List.copyOf(answers);
  }

  private void listOn(Path socket) {
    var channel = sockets.channel(socket);
    try {
      while (!Thread.currentThread().isInterrupted()) {
        try {
          long began = System.nanoTime();
          var response =
              PodResourcesListerGrpc.newBlockingStub(channel)
                  .withDeadlineAfter(5, TimeUnit.SECONDS)
                  .list(ListPodResourcesRequest.getDefaultInstance());
          answers.add(new Answer(began, System.nanoTime(), units(response)));
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

  private Map<String, List<String>> units(ListPodResourcesResponse response) {
    var units = new HashMap<String, List<String>>();
    for (var pod : response.getPodResourcesList()) {
      var ids =
          pod.getContainersList().stream()
              .flatMap(container -> container.getDevicesList().stream())
              .filter(devices -> devices.getResourceName().equals(SharingPod.RESOURCE))
              .flatMap(devices -> devices.getDeviceIdsList().stream())
              .toList();
      if (pod.getNamespace().equals(namespace) && !ids.isEmpty()) {
        units.put(pod.getName(), ids);
      }
    }
    return Map.copyOf(units);
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
