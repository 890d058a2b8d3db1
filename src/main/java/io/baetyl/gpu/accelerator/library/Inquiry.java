package io.baetyl.gpu.accelerator.library;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.DriverException.Reason;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;

/**
 * Asks a driver what its devices are, each on a thread of its own, so that one that hangs does not
 * hide the others. It is not asked again before it has answered, and holds one thread until then.
 *
 * @param <K> by what a device is asked
 * @param <V> what it is
 */
public final class Inquiry<K, V> implements AutoCloseable {

  /** What is asked; may take for ever. */
  public interface Question<K, V> {
    V ask(K device) throws DriverException;
  }

  private final Duration patience;
  private final Map<K, Future<V>> pending = new HashMap<>();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("inquiry-", 0).factory());

  /**
   * @param patience how long all devices together have to answer
   */
  public Inquiry(Duration patience) {
    this.patience = patience;
  }

  /**
   * Asks about each device.
   *
   * @return the answers that came in time, in the order of the devices
   * @throws DriverException where the driver has answered so of one of them
   */
  public synchronized Map<K, V> ask(Collection<K> devices, Question<K, V> question)
      throws DriverException {
    // What came too late is of before.
    pending.values().removeIf(Future::isDone);
    long end = System.nanoTime() + patience.toNanos();
    for (var device : devices) {
      pending.computeIfAbsent(device, key -> threads.submit(() -> question.ask(key)));
    }
    var answers = new LinkedHashMap<K, V>();
    for (var device : devices) {
      try {
        answers.put(device, pending.get(device).get(end - System.nanoTime(), NANOSECONDS));
        pending.remove(device);
      } catch (TimeoutException hangs) {
        // It is asked again when it has answered.
        continue;
      } catch (ExecutionException failed) {
        pending.remove(device);
        throw trouble(failed.getCause());
      } catch (InterruptedException ending) {
        Thread.currentThread().interrupt();
        throw new DriverException(Reason.DRIVER_FAILED, "The agent is being stopped");
      }
    }
    return answers;
  }

  private static DriverException trouble(Throwable cause) {
    return switch (cause) {
      case DriverException trouble -> trouble;
      case RuntimeException unforeseen -> throw unforeseen;
      case Error unforeseen -> throw unforeseen;
      default -> throw new IllegalStateException(cause);
    };
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
