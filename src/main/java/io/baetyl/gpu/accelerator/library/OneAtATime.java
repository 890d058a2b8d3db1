package io.baetyl.gpu.accelerator.library;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/**
 * Lets one thread at a time into a library that is not made for several. A call that does not come
 * back, since its device hangs, keeps nobody out for longer than a moment.
 */
public final class OneAtATime {
  private final Duration patience;
  private final AtomicLong entries = new AtomicLong();
  private volatile ReentrantLock door = new ReentrantLock(true);

  /**
   * @param patience from when on a call counts as one that hangs
   */
  public OneAtATime(Duration patience) {
    this.patience = patience;
  }

  /** Calls a function when it is this thread's turn. */
  public int call(IntSupplier function) {
    var entered = enter();
    try {
      return function.getAsInt();
    } finally {
      entered.unlock();
    }
  }

  private ReentrantLock enter() {
    while (true) {
      var tried = door;
      long before = entries.get();
      if (isOpened(tried)) {
        if (tried == door) {
          entries.incrementAndGet();
          return tried;
        }
        tried.unlock();
      } else if (entries.get() == before) {
        replace(tried);
      }
    }
  }

  private boolean isOpened(ReentrantLock tried) {
    try {
      return tried.tryLock(patience.toMillis(), MILLISECONDS);
    } catch (InterruptedException ending) {
      Thread.currentThread().interrupt();
      throw new CancellationException("interrupted before its turn");
    }
  }

  /** Leaves the old door to the call that hangs behind it. */
  private synchronized void replace(ReentrantLock hanging) {
    if (door == hanging) {
      door = new ReentrantLock(true);
    }
  }
}
