package io.baetyl.gpu.deviceplugin.allocation;

/**
 * Units are not handed out. The message ends up in the pod's status and event, so it is a sentence
 * for people.
 */
public final class AllocationRefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  public AllocationRefusedException(String message) {
    super(message);
  }
}
