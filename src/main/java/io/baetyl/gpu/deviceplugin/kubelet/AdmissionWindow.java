package io.baetyl.gpu.deviceplugin.kubelet;

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
  private int calls;
  private long closedUntilNanos;

  public AdmissionWindow() {
    this(System::nanoTime);
  }

  AdmissionWindow(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.closedUntilNanos = nanoTime.getAsLong();
  }

  /** The kubelet asks for a preference, or for an Allocate. */
  synchronized void callBegins() {
    calls++;
  }

  /** A preference is about to be answered. */
  synchronized void preferred() {
    end(ALLOCATE_FOLLOWS_NANOS);
  }

  /** A preference is refused, so that no Allocate follows. */
  synchronized void preferenceRefused() {
    end(0);
  }

  synchronized void allocateEnds() {
    end(KUBELET_BOOKS_NANOS);
  }

  private void end(long quietAfterNanos) {
    calls--;
    closedUntilNanos = nanoTime.getAsLong() + quietAfterNanos;
    notifyAll();
  }

  /** Whether no Allocate is under way or about to be. */
  public synchronized boolean quiet() {
    return calls == 0 && nanoTime.getAsLong() - closedUntilNanos >= 0;
  }

  /** Waits until no call is under way, at most this long. */
  synchronized void awaitNoCall(long millis) throws InterruptedException {
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (calls > 0 && until - System.nanoTime() > 0) {
      TimeUnit.NANOSECONDS.timedWait(this, until - System.nanoTime());
    }
  }
}
