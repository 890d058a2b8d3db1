package io.baetyl.gpu.deviceplugin.kubelet;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * When the kubelet may be asked for its list. While an Allocate is under way the kubelet has booked
 * its units in one place only, and a listing at that moment, together with the end of another pod,
 * makes it forget them (seen with 1.36). So from the question for a preference until shortly after
 * the Allocate nothing is listed, but by the answer to that question itself.
 */
public final class AdmissionWindow {
  /** The Allocate follows the preference at once, if it comes at all. */
  private static final long ALLOCATE_FOLLOWS_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** After our answer the kubelet needs microseconds to book it. */
  private static final long KUBELET_BOOKS_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

  private final LongSupplier nanoTime;
  private final Deque<Long> allocateFollowsUntil = new ArrayDeque<>();
  private int calls;
  private long bookedAtNanos;

  public AdmissionWindow() {
    this(System::nanoTime);
  }

  AdmissionWindow(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.bookedAtNanos = nanoTime.getAsLong();
  }

  /** The kubelet asks for a preference, or for an Allocate. */
  synchronized void callBegins() {
    calls++;
  }

  /** A preference is about to be answered. */
  synchronized void preferred() {
    allocateFollowsUntil.add(nanoTime.getAsLong() + ALLOCATE_FOLLOWS_NANOS);
    end();
  }

  /** A preference is refused, so that no Allocate follows. */
  synchronized void preferenceRefused() {
    end();
  }

  synchronized void allocateEnds() {
    allocateFollowsUntil.poll();
    bookedAtNanos = nanoTime.getAsLong() + KUBELET_BOOKS_NANOS;
    end();
  }

  private void end() {
    calls--;
    notifyAll();
  }

  /** Whether no Allocate is under way or about to be. */
  public synchronized boolean quiet() {
    long now = nanoTime.getAsLong();
    allocateFollowsUntil.removeIf(until -> now - until >= 0);
    return calls == 0 && allocateFollowsUntil.isEmpty() && now - bookedAtNanos >= 0;
  }

  /** Waits until no call is under way, at most this long. */
  synchronized void awaitNoCall(long millis) throws InterruptedException {
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (calls > 0 && until - System.nanoTime() > 0) {
      TimeUnit.NANOSECONDS.timedWait(this, until - System.nanoTime());
    }
  }
}
