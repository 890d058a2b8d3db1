package io.baetyl.gpu.platform;

/**
 * A part of the product that runs in a process of its own, or beside others, until it is told to
 * stop.
 */
public interface Role extends AutoCloseable {

  /**
   * Starts the role and returns once it runs.
   *
   * @throws Exception if it cannot run here; the process ends with the message, so that it says
   *     what to do
   */
  void start() throws Exception;

  /** Stops in good order, within the grace period of the pod. */
  @Override
  void close();
}
