package io.baetyl.gpu.extender.apiserver;

import io.baetyl.gpu.api.v1alpha1.CardDecision;
import io.baetyl.gpu.extender.TestClock;
import io.baetyl.gpu.extender.pods.PodFacts;
import io.baetyl.gpu.extender.pods.PodName;
import io.baetyl.gpu.extender.pods.Pods;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Pods as an API server keeps them: a pod is bound once, by its uid. Faults are served first; the
 * watch runs only when it is told to.
 */
public final class FakePodApi implements PodApi {

  /** Something that goes wrong with one write. */
  public enum Fault {
    /** A storage conflict: nothing is written. */
    CONFLICT,
    /** It is forbidden: nothing is written. */
    FORBIDDEN,
    /** Nothing comes back, and nothing is written. */
    LOST,
    /** It is written, and nothing comes back. */
    ANSWER_LOST
  }

  private static final Duration CLIENT_GIVES_UP = Duration.ofSeconds(4);

  private final Map<String, PodFacts> pods = new ConcurrentHashMap<>();
  private final Queue<Fault> faults = new ArrayDeque<>();
  private final Queue<Outcome> wakeFailures = new ConcurrentLinkedQueue<>();
  private final List<PodName> woken = new CopyOnWriteArrayList<>();
  private final TestClock clock;
  private volatile boolean blind;
  private volatile boolean silent;
  private volatile CountDownLatch gate = new CountDownLatch(0);
  private volatile CountDownLatch lookGate = new CountDownLatch(0);
  private final AtomicInteger looks = new AtomicInteger();
  private int writes;

  public FakePodApi(TestClock clock) {
    this.clock = clock;
  }

  public void add(PodFacts pod) {
    pods.put(pod.uid(), pod);
  }

  public void delete(String uid) {
    pods.remove(uid);
  }

  public PodFacts pod(String uid) {
    return pods.get(uid);
  }

  public Collection<PodFacts> bound() {
    return pods.values().stream().filter(pod -> pod.node() != null).toList();
  }

  public List<PodName> woken() {
    return woken;
  }

  public synchronized int writes() {
    return writes;
  }

  public synchronized void failNext(Fault... next) {
    faults.addAll(List.of(next));
  }

  public void failNextWakes(Outcome... next) {
    wakeFailures.addAll(List.of(next));
  }

  /** Looks fail from now on, or work again. */
  public void blind(boolean now) {
    blind = now;
  }

  /** Nothing is answered from now on, and whoever waits for an answer waits in vain. */
  public void silence() {
    silent = true;
  }

  private void waitInVain(Duration patience) {
    clock.pass(patience.compareTo(CLIENT_GIVES_UP) < 0 ? patience : CLIENT_GIVES_UP);
  }

  public int looks() {
    return looks.get();
  }

  /** Looks wait at this gate from now on. */
  public void gateLooks(CountDownLatch next) {
    lookGate = next;
  }

  /** Writes wait at this gate from now on. */
  public void gate(CountDownLatch next) {
    gate = next;
  }

  @Override
  public Outcome bind(PodName pod, String node, CardDecision decision, Duration patience) {
    if (silent) {
      waitInVain(patience);
      return new Outcome.Unclear("timeout");
    }
    pass(gate);
    return write(pod, node, decision);
  }

  private static void pass(CountDownLatch gate) {
    try {
      gate.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized Outcome write(PodName pod, String node, CardDecision decision) {
    writes++;
    var fault = faults.poll();
    if (fault != null) {
      switch (fault) {
        case CONFLICT -> {
          return new Outcome.Conflict("the object has been modified");
        }
        case FORBIDDEN -> {
          return new Outcome.Refused("pods/binding is forbidden");
        }
        case LOST -> {
          return new Outcome.Unclear("timeout");
        }
        case ANSWER_LOST -> {
          store(pod, node, decision);
          return new Outcome.Unclear("timeout");
        }
      }
    }
    return store(pod, node, decision);
  }

  private Outcome store(PodName pod, String node, CardDecision decision) {
    var known = pods.get(pod.uid());
    if (known == null) {
      return new Outcome.Gone();
    }
    if (known.node() != null) {
      return new Outcome.Conflict("pod is already assigned to node " + known.node());
    }
    pods.put(pod.uid(), Pods.bound(known, node, Optional.of(decision)));
    return new Outcome.Done();
  }

  @Override
  public Look look(PodName pod, Duration patience) {
    looks.incrementAndGet();
    pass(lookGate);
    if (silent) {
      waitInVain(patience);
      return new Look.Unclear("timeout");
    }
    if (blind) {
      return new Look.Unclear("timeout");
    }
    var known = pods.get(pod.uid());
    return known == null ? new Look.Gone() : new Look.Found(known);
  }

  @Override
  public Outcome wake(PodName pod, String stamp) {
    var failure = wakeFailures.poll();
    if (failure != null) {
      return failure;
    }
    woken.add(pod);
    return new Outcome.Done();
  }
}
