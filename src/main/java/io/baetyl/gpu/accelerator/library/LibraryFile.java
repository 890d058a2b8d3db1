package io.baetyl.gpu.accelerator.library;

import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.DriverException.Reason;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/**
 * A vendor's library, loaded from the first of some paths that works. One that appears, or is
 * replaced, while this runs is taken up at the next {@link #load}.
 *
 * @param <T> the library, initialised
 */
public final class LibraryFile<T extends LibraryFile.Loaded> {

  /** A library in use. */
  public interface Loaded extends AutoCloseable {

    /** Whether it can never work again, and has to be loaded anew. */
    boolean isStale();

    /**
     * Unloads it.
     *
     * @throws IllegalStateException while a thread is in one of its functions
     */
    @Override
    void close();
  }

  /** Loads and initialises a library. */
  public interface Loader<T> {

    /**
     * @throws DriverException where the file is no such library, or finds no driver of its version
     */
    T load(Path path) throws DriverException;
  }

  private record Current<T>(T library, Path path, FileIdentity file) {}

  private final Supplier<List<Path>> paths;
  private final String missing;
  private final Loader<T> loader;
  private volatile Current<T> current;

  /**
   * @param paths where it may be now, the best first; files that do not exist are passed over
   * @param missing what to say where it is nowhere: what to do, in a sentence
   */
  public LibraryFile(Supplier<List<Path>> paths, String missing, Loader<T> loader) {
    this.paths = paths;
    this.missing = missing;
    this.loader = loader;
  }

  /** The library in use, or the first that works where that one cannot work any more. */
  public T load() throws DriverException {
    var candidates = paths.get();
    var used = current;
    if (used != null) {
      if (!used.library().isStale()
          && candidates.contains(used.path())
          && used.file().equals(FileIdentity.of(used.path()))) {
        return used.library();
      }
      current = null;
      // While a thread hangs in the library this fails, and the library stays in memory: the linker
      // gives the same one again under the same path until the thread has come back.
      used.library().close();
    }
    var trouble = new DriverException(Reason.DRIVER_NOT_FOUND, missing);
    boolean tried = false;
    for (var path : candidates) {
      if (Files.isReadable(path)) {
        try {
          var file = FileIdentity.of(path);
          current = new Current<>(loader.load(path), path, file);
          return current.library();
        } catch (DriverException notThisOne) {
          trouble = tried ? trouble : notThisOne;
          tried = true;
        }
      }
    }
    throw trouble;
  }

  /**
   * The library in use.
   *
   * @throws DriverException where none has been loaded yet
   */
  public T current() throws DriverException {
    var used = current;
    if (used == null) {
      throw new DriverException(
          Reason.DRIVER_FAILED, "The driver has not answered since this agent was started");
    }
    return used.library();
  }

  /** What to say of a library that was unloaded while it was to be called. */
  public static DriverException beingReplaced() {
    return new DriverException(
        Reason.DRIVER_FAILED, "The driver's library is being replaced; it is loaded anew shortly");
  }

  /** Lets go of the library. */
  public void close() {
    var used = current;
    current = null;
    if (used != null) {
      used.library().close();
    }
  }
}
