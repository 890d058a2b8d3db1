package io.baetyl.gpu.deviceplugin;

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
   * for; at the start, the API server and the kubelet; and when it is too early for a write.
   */
  private static final Duration WAITING = Duration.ofMillis(200);

  /** When the kubelet may not be asked just now. */
  private static final Duration SOON = Duration.ofMillis(40);

  /** The kubelet, as far as the bookkeeper talks to it. */
  interface Kubelet {
    /** Tells the kubelet of the units. */
    void offer(List<Unit> units);

    /** Has the kubelet write to disk that units are free again. */
    void save();

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
  private final StatusAccount account;
  private final Clock clock;

  private final Semaphore wake = new Semaphore(0);

  /** Told of every change that somebody may wait for. */
  private final Object changes = new Object();

  private Instant listedAt = Instant.MIN;
  private String lastTrouble = "";
  private volatile boolean settled;

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
    this.account = new StatusAccount(report, kubelet);
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
    if (postponed) {
      return SOON;
    }
    if (early) {
      return WAITING;
    }
    lastTrouble = "";
    return books.someEnding(present) ? WAITING : IDLE;
  }

  private void compare(SharedCards shared, Collection<NodePod> present) throws IOException {
    long number = ledger.listingBegins();
    var listed = listing.list();
    listedAt = clock.instant();
    var released = ledger.reconcile(number, listed, present, alive);
    for (var pod : released) {
      LOG.info("Units are free again. pod={} uid={}", pod.qualifiedName(), pod.uid());
    }
    if (!released.isEmpty()) {
      kubelet.save();
    }
    if (!settled) {
      books.takeOver(shared, account.rows().orElse(List.of()), present, alive);
      kubelet.offer(books.units(shared));
      settled = true;
      kubelet.settled();
    }
  }

  /** Writes the status where it differs; false where it is too early for another write. */
  private boolean write(SharedCards shared, Collection<NodePod> present) throws IOException {
    var before = account.rows();
    if (before.isEmpty() || !settled) {
      return true;
    }
    var now = clock.instant();
    return account.write(shared.rules(), books.rows(shared, present, before.get(), now), now);
  }

  /** Says in the status that the plugin stops, before it does. */
  synchronized void announceStop() {
    account.stopping();
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
