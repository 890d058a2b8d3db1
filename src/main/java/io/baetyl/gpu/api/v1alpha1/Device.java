package io.baetyl.gpu.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * One accelerator of a node.
 *
 * @param id the vendor's lasting identity of the device: for NVIDIA its UUID
 * @param index its number in the vendor's tools; for people only, since it can change
 * @param path its device node on the host, such as {@code /dev/nvidia0}; absent where the vendor
 *     has none of its own
 * @param model the vendor's name of the model
 * @param memoryMiB its memory in MiB
 * @param unusableMiB with shared memory: what is left over after whole units and the profile's
 *     reserve, in MiB
 * @param units with shared memory: how many units it offers
 * @param health whether it can be handed out
 * @param healthReason why it is not healthy, in a sentence
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Device(
    String id,
    Integer index,
    String path,
    String model,
    Long memoryMiB,
    Long unusableMiB,
    Integer units,
    Health health,
    String healthReason) {

  /** The same, unhealthy. */
  public Device unhealthy(String reason) {
    return new Device(
        id, index, path, model, memoryMiB, unusableMiB, units, Health.UNHEALTHY, reason);
  }

  /** Whether it can be handed out: also while nothing is known of its health. */
  public boolean canBeHandedOut() {
    return health != Health.UNHEALTHY;
  }
}
