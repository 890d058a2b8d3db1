package io.baetyl.gpu.deviceplugin;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.PluginState;
import io.baetyl.gpu.api.v1alpha1.PluginStatus;
import io.baetyl.gpu.deviceplugin.allocation.Books;
import io.baetyl.gpu.deviceplugin.allocation.KubeletListing;
import io.baetyl.gpu.deviceplugin.allocation.Ledger;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import io.baetyl.gpu.deviceplugin.allocation.NodePods;
import io.baetyl.gpu.deviceplugin.allocation.SharedCards;
import io.baetyl.gpu.deviceplugin.allocation.Unit;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps books, kubelet and status in line, beside the answers to the kubelet: woken by whatever
 * happens, and by the clock, it looks at everything and writes what differs.
 */
final class Bookkeeper {
  private static final Logger LOG = LoggerFactory.getLogger(Bookkeeper.class);

  private static final Duration LIST_EVERY = Duration.ofSeconds(5);
  private static final Duration IDLE = Duration.ofSeconds(5);

  /**
   * While a pod is on its way out, its processes are watched closely, since its memory is waited
   * for; at the start, the API server and the kubelet.
   */
  private static final Duration WAITING = Duration.ofMillis(200);

  /** When the kubelet may not be asked just now. */
  private static final Duration SOON = Duration.ofMillis(40);

  /** So that a burst of changes makes few writes. */
  private static final Duration BETWEEN_WRITES = Duration.ofMillis(100);

  /** What we wrote may take so long to come back by the watch. */
  private static final Duration WATCH_LAG = Duration.ofSeconds(5);

  /** The kubelet, as far as the bookkeeper talks to it. */
  interface Kubelet {
    /** Tells the kubelet of the units. */
    void offer(List<Unit> units);

    /** It is known now who has which units, so that they can be offered. */
    void settled();

    /** Whether it has asked for the units. */
    boolean listening();

    /** Why it cannot be told of the units, in a sentence; empty when it can. */
    Optional<String> obstacle();
  }

  private final Supplier<Optional<SharedCards>> cards;
  private final NodePods pods;
  private final KubeletListing listing;
  private final BooleanSupplier mayList;
  private final Predicate<String> alive;
  private final Ledger ledger;
  private final Books books;
  private final CardAccess access;
  private final Kubelet kubelet;
  private final NodeReport report;
  private final Clock clock;

  private final Semaphore wake = new Semaphore(0);

  /** Told of every change that somebody may wait for. */
  private final Object changes = new Object();

  private Instant listedAt = Instant.MIN;
  private Instant wroteAt = Instant.MIN;
  private NodeReport.Content written;
  private PluginStatus plugin;
  private String lastTrouble = "";
  private volatile boolean settled;
  private volatile boolean stopping;

  Bookkeeper(
      Supplier<Optional<SharedCards>> cards,
      NodePods pods,
      KubeletListing listing,
      BooleanSupplier mayList,
      Predicate<String> alive,
      Ledger ledger,
      Books books,
      CardAccess access,
      Kubelet kubelet,
      NodeReport report,
      Clock clock) {
    this.cards = cards;
    this.pods = pods;
    this.listing = listing;
    this.mayList = mayList;
    this.alive = alive;
    this.ledger = ledger;
    this.books = books;
    this.access = access;
    this.kubelet = kubelet;
    this.report = report;
    this.clock = clock;
  }

  /** Something has happened. */
  void wake() {
    tellWaiting();
    if (wake.availablePermits() == 0) {
      wake.release();
    }
  }

  /**
   * Whether the books have been compared with the kubelet's once, so that they can be relied on.
   */
  boolean settled() {
    return settled;
  }

  /** Looks and writes until the thread is interrupted. */
  void run() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        var pause = lookSafely();
        tellWaiting();
        if (wake.tryAcquire(pause.toMillis(), TimeUnit.MILLISECONDS)) {
          wake.drainPermits();
        }
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private Duration lookSafely() {
    try {
      return look();
    } catch (IOException | RuntimeException trouble) {
      if (!String.valueOf(trouble.getMessage()).equals(lastTrouble)) {
        lastTrouble = String.valueOf(trouble.getMessage());
        LOG.warn("Cannot bring the books in line; trying on. reason={}", lastTrouble);
        LOG.debug("Cannot bring the books in line", trouble);
      }
      return settled ? Duration.ofSeconds(1) : SOON;
    }
  }

  /** One round; returns when to look again at the latest. */
  private synchronized Duration look() throws IOException {
    var shared = cards.get();
    if (shared.isEmpty()) {
      return WAITING;
    }
    var present = pods.all();
    access.refresh(shared.get());
    boolean list =
        !settled
            || !clock.instant().isBefore(listedAt.plus(LIST_EVERY))
            || books.someEnded(present, alive);
    boolean postponed = list && !mayList.getAsBoolean();
    if (list && !postponed) {
      compare(shared.get(), present);
    }
    kubelet.offer(books.units(shared.get()));
    books.correct(present);
    boolean early = !write(shared.get(), present);
    if (postponed || early) {
      return SOON;
    }
    lastTrouble = "";
    return books.someEnding(present) ? WAITING : IDLE;
  }

  private void compare(SharedCards shared, Collection<NodePod> present) throws IOException {
    long number = ledger.listingBegins();
    var listed = listing.list();
    listedAt = clock.instant();
    for (var pod : ledger.reconcile(number, listed, present, alive)) {
      LOG.info("Units are free again. pod={} uid={}", pod.qualifiedName(), pod.uid());
    }
    if (!settled) {
      books.takeOver(
          shared,
          report.current().map(NodeReport.Content::allocations).orElse(List.of()),
          present,
          alive);
      kubelet.offer(books.units(shared));
      settled = true;
      kubelet.settled();
    }
  }

  /** Writes the status where it differs; false where it is too early for another write. */
  private boolean write(SharedCards shared, Collection<NodePod> present) throws IOException {
    var current = report.current();
    if (current.isEmpty() || !settled) {
      return true;
    }
    List<Allocation> before = written == null ? current.get().allocations() : written.allocations();
    var now = clock.instant();
    var content =
        new NodeReport.Content(
            Optional.ofNullable(pluginStatus()), books.rows(shared, present, before, now));
    boolean onItsWay = content.equals(written) && now.isBefore(wroteAt.plus(WATCH_LAG));
    if (content.equals(current.get()) || onItsWay) {
      return true;
    }
    if (now.isBefore(wroteAt.plus(BETWEEN_WRITES))) {
      return false;
    }
    report.write(content);
    written = content;
    wroteAt = now;
    return true;
  }

  private PluginStatus pluginStatus() {
    if (stopping) {
      return plugin;
    }
    var obstacle = kubelet.obstacle();
    if (obstacle.isPresent()) {
      plugin = new PluginStatus(PluginState.STOPPING, obstacle.get());
    } else if (kubelet.listening()) {
      // It stays so while the kubelet restarts: then the node itself is not ready.
      plugin = new PluginStatus(PluginState.SERVING, null);
    }
    return plugin;
  }

  /** Says in the status that the plugin stops, before it does. */
  synchronized void announceStop() {
    stopping = true;
    plugin =
        new PluginStatus(
            PluginState.STOPPING,
            "The device plugin of this node stops; its pods keep their cards");
    wroteAt = Instant.MIN;
    lookSafely();
  }

  /** Waits until every pod that was sent here with a card has got it, at most this long. */
  void awaitExpected(Duration atMost) throws InterruptedException {
    long until = System.nanoTime() + atMost.toNanos();
    synchronized (changes) {
      while (someExpected() && until - System.nanoTime() > 0) {
        TimeUnit.NANOSECONDS.timedWait(changes, until - System.nanoTime());
      }
    }
  }

  private boolean someExpected() {
    return cards.get().map(shared -> books.someExpected(shared, pods.all())).orElse(false);
  }

  private void tellWaiting() {
    synchronized (changes) {
      changes.notifyAll();
    }
  }
}
