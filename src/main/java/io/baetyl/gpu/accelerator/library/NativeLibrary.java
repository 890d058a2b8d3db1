package io.baetyl.gpu.accelerator.library;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.DriverException.Reason;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A loaded library, and how one of its functions is called. */
public final class NativeLibrary implements AutoCloseable {
  private static final Linker LINKER = Linker.nativeLinker();

  private final Arena arena = Arena.ofShared();
  private final SymbolLookup symbols;
  private final int missingFunction;

  /**
   * Loads a library.
   *
   * @param missingFunction what a function that it does not have is taken to return
   * @throws DriverException where the file is none
   */
  public NativeLibrary(Path path, int missingFunction) throws DriverException {
    this.missingFunction = missingFunction;
    try {
      symbols = SymbolLookup.libraryLookup(path, arena);
    } catch (IllegalArgumentException notLoadable) {
      arena.close();
      throw new DriverException(
          Reason.DRIVER_NOT_FOUND,
          path + " cannot be loaded: it is damaged, or made for another processor");
    }
  }

  /** Whether the library has a function of this name. */
  public boolean has(String name) {
    return symbols.find(name).isPresent();
  }

  /**
   * A function that returns a code, by the first of its names that the library has; where it has
   * none, one that returns the code for that.
   *
   * @param names the newest first; all of them take the same parameters
   */
  public MethodHandle function(String[] names, MemoryLayout... parameters) {
    return Stream.of(names)
        .flatMap(name -> symbols.find(name).stream())
        .findFirst()
        .map(
            address ->
                LINKER
                    .downcallHandle(address, FunctionDescriptor.of(JAVA_INT, parameters))
                    .asSpreader(Object[].class, parameters.length))
        .orElseGet(
            () ->
                MethodHandles.dropArguments(
                    MethodHandles.constant(int.class, missingFunction), 0, Object[].class));
  }

  /** A function that returns nothing; where the library has none, one that does nothing. */
  public MethodHandle procedure(String name, MemoryLayout... parameters) {
    return symbols
        .find(name)
        .map(
            address ->
                LINKER
                    .downcallHandle(address, FunctionDescriptor.ofVoid(parameters))
                    .asSpreader(Object[].class, parameters.length))
        .orElseGet(() -> MethodHandles.empty(MethodType.methodType(void.class, Object[].class)));
  }

  /** Calls a function that returns nothing. */
  public static void run(MethodHandle procedure, Object... arguments) {
    try {
      procedure.invokeExact(arguments);
    } catch (RuntimeException | Error passedOn) {
      throw passedOn;
    } catch (Throwable impossible) {
      throw new AssertionError("a C function throws nothing", impossible);
    }
  }

  /**
   * Calls a function of this class.
   *
   * @return its code
   */
  public static int call(MethodHandle function, Object... arguments) {
    try {
      return (int) function.invokeExact(arguments);
    } catch (RuntimeException | Error passedOn) {
      throw passedOn;
    } catch (Throwable impossible) {
      throw new AssertionError("a C function throws nothing", impossible);
    }
  }

  /**
   * Unloads the library.
   *
   * @throws IllegalStateException while a thread is in one of its functions
   */
  @Override
  public void close() {
    arena.close();
  }
}
