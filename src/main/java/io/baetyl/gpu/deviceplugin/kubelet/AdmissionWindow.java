package io.baetyl.gpu.deviceplugin.kubelet;

import java.util.concurrent.TimeUnit;

/**
 * When the kubelet may be asked for its list. While an Allocate is under way the kubelet has booked
 * its units in one place only, and a listing at that moment, together with the end of another pod,
 * makes it forget them (seen with 1.36). So from the preference until shortly after the Allocate
 * nothing is listed.
 */
public final class AdmissionWindow {
  /** The Allocate follows the preference at once, if it comes at all. */
  private static final long ALLOCATE_FOLLOWS_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** After our answer the kubelet needs microseconds to book it. */
  private static final long KUBELET_BOOKS_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

  private int allocating;
  private long closedUntilNanos = System.nanoTime();

  synchronized void preferred() {
    closedUntilNanos = System.nanoTime() + ALLOCATE_FOLLOWS_NANOS;
  }

  synchronized void allocateBegins() {
    allocating++;
  }

  synchronized void allocateEnds() {
    allocating--;
    notifyAll();
    closedUntilNanos = System.nanoTime() + KUBELET_BOOKS_NANOS;
  }

  /** Whether no Allocate is under way or about to be. */
  public synchronized boolean quiet() {
    return allocating == 0 && System.nanoTime() - closedUntilNanos >= 0;
  }

  /** Waits until no Allocate is under way, at most this long. */
  synchronized void awaitNoAllocate(long millis) throws InterruptedException {
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (allocating > 0 && until - System.nanoTime() > 0) {
      TimeUnit.NANOSECONDS.timedWait(this, until - System.nanoTime());
    }
  }
}
