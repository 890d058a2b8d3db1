package io.baetyl.gpu.metrics.watching;

import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.Sample;
import io.baetyl.gpu.api.v1alpha1.Health;
import java.util.Optional;

/**
 * A device at one moment.
 *
 * @param device what it is, by the last time that the driver said so
 * @param health whether it can be handed out; {@link Health#UNKNOWN} where it was not asked yet
 * @param healthReason why not, in a sentence; null where it can
 * @param figures the last that it told; empty where it never did
 * @param answering whether these figures are of now
 * @param presence whether it is still there
 */
public record WatchedDevice(
    FoundDevice device,
    Health health,
    String healthReason,
    Optional<Sample> figures,
    boolean answering,
    Presence presence) {

  /** Whether a device that was known once is still there. */
  public enum Presence {
    /** The driver knows it, be it at fault or not. */
    PRESENT,
    /** It cannot be told, as the driver does not answer. */
    UNCERTAIN,
    /** The driver knows it no more, or there is no driver any more. */
    GONE
  }
}
