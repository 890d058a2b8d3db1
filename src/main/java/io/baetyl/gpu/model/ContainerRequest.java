package io.baetyl.gpu.model;

/**
 * What one container of a pod asks for.
 *
 * @param name the container's name
 * @param units how many units, at least 1
 * @param kind when the container runs
 */
public record ContainerRequest(String name, int units, Kind kind) {

  /** When a container runs, which decides what adds up. */
  public enum Kind {
    /** Beside all others of its kind. */
    APP,
    /** Before the app containers, and gone when they run. */
    INIT,
    /**
     * An init container with restartPolicy Always: from its turn on, beside everything that follows
     * (KEP-753).
     */
    SIDECAR
  }
}
