package io.baetyl.gpu.extender.watching;

import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.extender.picture.Picture;
import io.baetyl.gpu.extender.pods.PodFacts;
import io.baetyl.gpu.extender.pods.WatchedPod;
import io.baetyl.gpu.extender.waking.WaitingPods;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Moves the picture by what the API server says, and tells whether it still moves. */
public final class Watches implements AutoCloseable {
  /**
   * A watch that ends is begun anew at once; one that is away for longer has lost the API server.
   */
  static final Duration TOLERATED_GAP = Duration.ofSeconds(5);

  private static final long PAGE = 500;

  private final Map<String, SharedIndexInformer<?>> informers = new LinkedHashMap<>();
  private final Map<String, Instant> deafSince = new ConcurrentHashMap<>();
  private final Map<String, String> reasons = new ConcurrentHashMap<>();
  private final Clock clock;

  public Watches(KubernetesClient client, Picture picture, WaitingPods waiting, Clock clock) {
    this.clock = clock;
    informers.put(
        "nodes",
        informer(
            "nodes",
            client.resources(GpuNode.class),
            new PictureStore<>(
                node -> node.getMetadata().getName(),
                node -> {
                  picture.put(node);
                  return true;
                },
                picture::removeGpuNode,
                node -> stub(new GpuNode(), node))));
    informers.put(
        "pods",
        informer(
            "pods",
            // A pod that has ended leaves this watch as if it were deleted.
            client
                .resources(WatchedPod.class)
                .inAnyNamespace()
                .withoutField("status.phase", "Succeeded")
                .withoutField("status.phase", "Failed"),
            new PictureStore<>(
                pod -> pod.getMetadata().getUid(),
                pod -> put(pod, picture, waiting),
                uid -> {
                  picture.remove(uid);
                  waiting.settled(uid);
                },
                pod -> stub(new WatchedPod(), pod))));
  }

  private static <T extends HasMetadata> T stub(T empty, T object) {
    empty.setMetadata(PictureStore.identity(object));
    return empty;
  }

  private static boolean put(WatchedPod watched, Picture picture, WaitingPods waiting) {
    var pod = PodFacts.of(watched);
    if (pod.demands().isEmpty()) {
      return false;
    }
    picture.put(pod);
    if (pod.node() != null) {
      waiting.settled(pod.uid());
    }
    return true;
  }

  private <T extends HasMetadata> SharedIndexInformer<T> informer(
      String name, Informable<T> objects, PictureStore<T> store) {
    return objects
        .withLimit(PAGE)
        .runnableInformer(0)
        .removeNamespaceIndex()
        .itemStore(store)
        // An API server that is away at the start is waited for like one that goes away later.
        .exceptionHandler(
            (started, trouble) -> {
              reasons.put(name, reason(trouble));
              return true;
            });
  }

  private static String reason(Throwable trouble) {
    var cause = trouble;
    while (cause.getCause() != null && !(cause instanceof KubernetesClientException)) {
      cause = cause.getCause();
    }
    return cause instanceof KubernetesClientException answer && answer.getStatus() != null
        ? answer.getStatus().getMessage()
        : String.valueOf(cause.getMessage());
  }

  /** Begins to list and watch; returns at once. */
  public void start() {
    informers.values().forEach(SharedIndexInformer::start);
  }

  /** Why the picture cannot be trusted; empty where it can. */
  public Optional<String> trouble() {
    for (var informer : informers.entrySet()) {
      var name = informer.getKey();
      if (!informer.getValue().hasSynced()) {
        return Optional.of("the " + name + " are still being loaded" + because(name));
      }
      if (informer.getValue().isWatching()) {
        deafSince.remove(name);
        reasons.remove(name);
      } else {
        var since = deafSince.computeIfAbsent(name, first -> clock.instant());
        if (since.plus(TOLERATED_GAP).isBefore(clock.instant())) {
          return Optional.of("the watch of " + name + " has been lost" + because(name));
        }
      }
    }
    return Optional.empty();
  }

  private String because(String name) {
    var reason = reasons.get(name);
    return reason == null ? "" : " (" + reason + ")";
  }

  @Override
  public void close() {
    informers.values().forEach(SharedIndexInformer::stop);
  }
}
