package io.baetyl.gpu.model;

import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileSpec;
import io.baetyl.gpu.api.v1alpha1.Placement;
import io.baetyl.gpu.api.v1alpha1.Sharing;

/**
 * The rules of {@link Sharing}, in numbers.
 *
 * @param resourceName the extended resource that pods ask for
 * @param unitMiB the memory of one unit, in MiB
 * @param reservedMiB memory kept back on each card, in MiB
 * @param placement which card is chosen where several would do
 * @param exclusiveFromPercent from this share of a card on, a pod has the card alone; above 100:
 *     never
 */
public record ShareRules(
    String resourceName,
    int unitMiB,
    int reservedMiB,
    Placement placement,
    int exclusiveFromPercent) {

  /**
   * The rules in a node's status.
   *
   * @throws IllegalArgumentException if an amount cannot be read, or units are of no memory; the
   *     CRD's schema refuses such rules
   */
  public static ShareRules of(Sharing sharing) {
    int unitMiB = MebiBytes.parse(sharing.unit());
    if (unitMiB == 0) {
      throw new IllegalArgumentException(
          "unit \"" + sharing.unit() + "\" is no memory: at least 1Mi");
    }
    return new ShareRules(
        sharing.resourceName(),
        unitMiB,
        MebiBytes.parse(sharing.reservedPerCard()),
        // One that a later version may know.
        sharing.placement() == null ? Placement.BINPACK : sharing.placement(),
        sharing.exclusiveFromPercent());
  }

  /**
   * The rules of a profile.
   *
   * @throws IllegalArgumentException as {@link #of(Sharing)} does
   */
  public static ShareRules of(GpuShareProfileSpec spec) {
    return of(Sharing.of(spec));
  }

  /** The memory of one unit, as in the custom resources. */
  public String unit() {
    return unitMiB + "Mi";
  }

  /** Whether a number of units is the same memory of the same resource by both. */
  public boolean countLike(ShareRules other) {
    return unitMiB == other.unitMiB && resourceName.equals(other.resourceName);
  }

  /**
   * A card with its units by these rules, since those in the status are by the rules that the
   * metrics agent knew when it wrote them. A card whose memory is not known has none.
   */
  public Device divide(Device device) {
    var memoryMiB = device.memoryMiB();
    return new Device(
        device.id(),
        device.index(),
        device.path(),
        device.model(),
        memoryMiB,
        memoryMiB == null ? null : unusableMiBOf(memoryMiB),
        memoryMiB == null ? null : unitsOf(memoryMiB),
        device.health(),
        device.healthReason());
  }

  /** How many units a card offers: whole ones only, of what is left after the reserve. */
  public int unitsOf(long memoryMiB) {
    return Math.toIntExact(Math.max(0, memoryMiB - reservedMiB) / unitMiB);
  }

  /** What a card has beyond its units, the reserve included, in MiB. */
  public long unusableMiBOf(long memoryMiB) {
    return memoryMiB - (long) unitsOf(memoryMiB) * unitMiB;
  }

  /**
   * From how many units on a pod has a card of this many units alone; more than it has where that
   * is never.
   */
  public int exclusiveFrom(int units) {
    return exclusiveFromPercent > 100
        ? Integer.MAX_VALUE
        : Math.toIntExact(Math.ceilDiv((long) units * exclusiveFromPercent, 100));
  }
}
