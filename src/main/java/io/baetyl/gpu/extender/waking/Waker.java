package io.baetyl.gpu.extender.waking;

import io.baetyl.gpu.extender.apiserver.PodApi;
import io.baetyl.gpu.extender.counting.Counters;
import io.baetyl.gpu.extender.counting.Counters.Counter;
import io.baetyl.gpu.extender.picture.Node;
import io.baetyl.gpu.extender.picture.NodeView;
import io.baetyl.gpu.extender.picture.Picture;
import io.baetyl.gpu.extender.picture.Verdict;
import io.baetyl.gpu.extender.pods.PodName;
import io.baetyl.gpu.extender.waking.WaitingPods.Waiting;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes kube-scheduler try a waiting pod again when room has become free for it, since no event
 * that the scheduler knows tells it of that. Only pods that fit are touched, in the order in which
 * they should be served, and no more of them than the room can take.
 */
public final class Waker implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Waker.class);

  /** A wake that has failed for the moment is tried again after this long. */
  private static final long AGAIN_MILLIS = 1_000;

  private final Picture picture;
  private final WaitingPods waiting;
  private final PodApi api;
  private final Clock clock;
  private final Counters counters;
  private final Set<Node> roomier = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean everywhere = new AtomicBoolean();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final ScheduledExecutorService considering =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("waker").daemon().factory());
  private final ExecutorService writing = Executors.newVirtualThreadPerTaskExecutor();

  public Waker(Picture picture, WaitingPods waiting, PodApi api, Clock clock, Counters counters) {
    this.picture = picture;
    this.waiting = waiting;
    this.api = api;
    this.clock = clock;
    this.counters = counters;
    picture.onRoom(this::roomOn);
    waiting.onReconsider(this::reconsider);
  }

  /** Room may have become free on a node. */
  void roomOn(Node node) {
    if (!waiting.isEmpty()) {
      roomier.add(node);
      schedule();
    }
  }

  /** Something may have been missed: looks at all waiting pods and all nodes. */
  public void reconsider() {
    everywhere.set(true);
    schedule();
  }

  private void schedule() {
    if (scheduled.compareAndSet(false, true) && !considering.isShutdown()) {
      considering.execute(this::consider);
    }
  }

  private void consider() {
    scheduled.set(false);
    var nodes = changedNodes();
    try {
      for (var wake : choose(nodes)) {
        writing.execute(() -> wake(wake));
      }
    } catch (RuntimeException unexpected) {
      LOG.error("Waiting pods could not be considered.", unexpected);
    }
  }

  private Collection<Node> changedNodes() {
    if (everywhere.getAndSet(false)) {
      roomier.clear();
      waiting.lapse(clock.instant());
      return picture.nodes();
    }
    var nodes = new ArrayList<Node>();
    for (var iterator = roomier.iterator(); iterator.hasNext(); ) {
      nodes.add(iterator.next());
      iterator.remove();
    }
    return nodes;
  }

  private record Wake(Waiting before, Waiting promised) {}

  /** The pods that these nodes now have room for, room promised to others left aside. */
  private List<Wake> choose(Collection<Node> nodes) {
    var now = clock.instant();
    var pods = waiting.inOrder();
    var views = new HashMap<Node, NodeView>();
    for (var node : nodes) {
      views.put(node, node.view());
    }
    for (var pod : pods) {
      if (pod.hasPromise(now) && views.containsKey(pod.promised())) {
        views.computeIfPresent(pod.promised(), (node, view) -> view.with(pod.pod()).orElse(view));
      }
    }
    var chosen = new ArrayList<Wake>();
    for (var pod : pods) {
      // A pod with a reservation is passed for its node alone; it is looked at when that has ended.
      if (!pod.hasPromise(now) && pod.isDue(now) && picture.reservation(pod.pod().uid()) == null) {
        chooseNode(pod, views).ifPresent(node -> promise(pod, node, views, chosen));
      }
    }
    return chosen;
  }

  private void promise(Waiting pod, Node node, Map<Node, NodeView> views, Collection<Wake> chosen) {
    waiting
        .promise(pod, node)
        .ifPresent(
            promised -> {
              views.computeIfPresent(node, (same, view) -> view.with(pod.pod()).orElse(view));
              chosen.add(new Wake(pod, promised));
            });
  }

  private static Optional<Node> chooseNode(Waiting pod, Map<Node, NodeView> views) {
    for (var candidate : views.entrySet()) {
      var view = candidate.getValue().leftFor(pod.pod());
      if (pod.mayUse(candidate.getKey()) && view.judge(view.demandOf(pod.pod())) == Verdict.FITS) {
        return Optional.of(candidate.getKey());
      }
    }
    return Optional.empty();
  }

  private void wake(Wake wake) {
    counters.count(Counter.WAKES);
    var name = wake.promised().pod().pod();
    switch (api.wake(name, clock.instant().toString())) {
      case PodApi.Outcome.Done() -> LOG.info("Room became free for a waiting pod. pod={}", name);
      case PodApi.Outcome.Gone() -> waiting.settled(name.uid());
      case PodApi.Outcome.Conflict(String message) -> wakeAgain(wake, message);
      case PodApi.Outcome.Unclear(String message) -> wakeAgain(wake, message);
      case PodApi.Outcome.Refused(String message) -> {
        notWoken(name, message);
        waiting.breakPromise(wake.promised());
        reconsider();
      }
    }
  }

  private void wakeAgain(Wake wake, String reason) {
    notWoken(wake.promised().pod().pod(), reason);
    waiting.takeBack(wake.promised(), wake.before());
    if (!considering.isShutdown()) {
      considering.schedule(this::reconsider, AGAIN_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private static void notWoken(PodName pod, String reason) {
    LOG.warn("A waiting pod could not be told of free room. pod={} reason={}", pod, reason);
  }

  @Override
  public void close() {
    considering.shutdownNow();
    writing.shutdownNow();
  }
}
