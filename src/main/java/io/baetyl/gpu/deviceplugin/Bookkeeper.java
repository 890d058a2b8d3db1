package io.baetyl.gpu.deviceplugin;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.deviceplugin.allocation.AllocationRow;
import io.baetyl.gpu.deviceplugin.allocation.Books;
import io.baetyl.gpu.deviceplugin.allocation.Inventory;
import io.baetyl.gpu.deviceplugin.allocation.KubeletListing;
import io.baetyl.gpu.deviceplugin.allocation.Ledger;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import io.baetyl.gpu.deviceplugin.allocation.NodePods;
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
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps books, kubelet and status in line, beside the answers to the kubelet: woken by whatever
 * happens, and by the clock, it looks at everything and writes what differs.
 */
final class Bookkeeper<S extends Inventory> {
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

  private final Supplier<Optional<S>> inventory;
  private final NodePods pods;
  private final KubeletListing listing;
  private final BooleanSupplier predecessor;
  private final BooleanSupplier mayList;
  private final Predicate<String> alive;
  private final Ledger ledger;
  private final Books<S> books;
  private final DeviceAccess access;
  private final KubeletSide kubelet;
  private final StatusAccount account;
  private final EarlierRows earlier = new EarlierRows();
  private final Clock clock;

  private final Semaphore wake = new Semaphore(0);

  /** Told of every change that somebody may wait for. */
  private final Object changes = new Object();

  private Instant listedAt = Instant.MIN;
  private String lastTrouble = "";
  private volatile boolean settled;

  /**
   * @param inventory what there is to hand out; empty while that is not known
   * @param predecessor whether another device plugin of ours still serves on this node
   * @param mayList whether the kubelet may be asked just now
   * @param alive whether a pod has processes, by its UID on the node
   */
  Bookkeeper(
      Supplier<Optional<S>> inventory,
      NodePods pods,
      KubeletListing listing,
      BooleanSupplier predecessor,
      BooleanSupplier mayList,
      Predicate<String> alive,
      Ledger ledger,
      Books<S> books,
      DeviceAccess access,
      KubeletSide kubelet,
      StatusAccount account,
      Clock clock) {
    this.inventory = inventory;
    this.pods = pods;
    this.listing = listing;
    this.predecessor = predecessor;
    this.mayList = mayList;
    this.alive = alive;
    this.ledger = ledger;
    this.books = books;
    this.access = access;
    this.kubelet = kubelet;
    this.account = account;
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

  /** What pods hold since before the node was handed out in this way. */
  List<Allocation> earlier() {
    return earlier.held();
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
    var known = inventory.get();
    if (known.isEmpty() || !settled && predecessor.getAsBoolean()) {
      return WAITING;
    }
    // What is handed out from here on may be to a pod that is not among those read next, so the
    // listing does not count for it.
    long number = ledger.listingBegins();
    var present = pods.all();
    access.refresh(known.get().devices());
    boolean list =
        !settled
            || !clock.instant().isBefore(listedAt.plus(LIST_EVERY))
            || someEnded(present)
            || earlier.someEnding(present);
    boolean postponed = list && !mayList.getAsBoolean();
    Optional<IOException> unlisted = Optional.empty();
    if (list && !postponed) {
      unlisted = tryToCompare(number, known.get(), present);
    }
    // What pods hold since before is taken out of it by now.
    var current = inventory.get().orElse(known.get());
    kubelet.offer(books.units(current, present));
    if (list && !postponed && !settled) {
      settled = true;
      kubelet.settled();
    }
    books.correct(present);
    boolean early = !write(current, present);
    if (unlisted.isPresent()) {
      throw unlisted.get();
    }
    if (postponed) {
      return SOON;
    }
    if (early) {
      return WAITING;
    }
    lastTrouble = "";
    return ledger.ending(present).isEmpty() && !earlier.someEnding(present) ? IDLE : WAITING;
  }

  /** Whether a pod that is on its way out holds units that nobody can be using any more. */
  private boolean someEnded(Collection<NodePod> present) {
    return ledger.ending(present).stream().anyMatch(pod -> !alive.test(pod.kubeletUid()));
  }

  /**
   * A kubelet that does not answer says nothing of what has ended; what is known without it holds.
   *
   * @return why it could not be asked
   * @throws IOException where nothing is known without it yet
   */
  private Optional<IOException> tryToCompare(long number, S current, Collection<NodePod> present)
      throws IOException {
    try {
      compare(number, current, present);
      return Optional.empty();
    } catch (IOException unanswered) {
      if (!settled) {
        throw unanswered;
      }
      return Optional.of(unanswered);
    }
  }

  private void compare(long number, S current, Collection<NodePod> present) throws IOException {
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
      var own =
          account
              .current()
              .map(reported -> earlier.takeFrom(reported, current.resourceName()))
              .orElse(List.of());
      books.takeOver(current, own, present, alive);
    }
    earlier.reconcile(listed, present, current.devices(), alive, listedAt);
  }

  /** Writes the status where it differs; false where it is too early for another write. */
  private boolean write(S current, Collection<NodePod> present) throws IOException {
    var before = account.rows();
    if (before.isEmpty() || !settled) {
      return true;
    }
    var now = clock.instant();
    return account.write(
        current,
        Stream.concat(
                books.rows(current, present, before.get(), now).stream(), earlier.held().stream())
            // Of a pod that the API server does not know yet there is no key.
            .filter(row -> !row.uid().isEmpty())
            .sorted(AllocationRow.IN_ORDER)
            .toList(),
        now);
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
    return inventory.get().map(current -> books.someExpected(current, pods.all())).orElse(false);
  }

  private void tellWaiting() {
    synchronized (changes) {
      changes.notifyAll();
    }
  }
}
