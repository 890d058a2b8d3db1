package io.baetyl.gpu.model;

import io.baetyl.gpu.api.v1alpha1.GpuShareProfileSpec;
import io.baetyl.gpu.api.v1alpha1.Placement;

/**
 * The rules of a {@link GpuShareProfileSpec}, in numbers.
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
   * The rules of a profile.
   *
   * @throws IllegalArgumentException if an amount cannot be read, or units are of no memory; the
   *     CRD's schema refuses such profiles
   */
  public static ShareRules of(GpuShareProfileSpec spec) {
    int unitMiB = MebiBytes.parse(spec.unitInForce());
    if (unitMiB == 0) {
      throw new IllegalArgumentException(
          "unit \"" + spec.unitInForce() + "\" is no memory: at least 1Mi");
    }
    return new ShareRules(
        spec.resourceNameInForce(),
        unitMiB,
        MebiBytes.parse(spec.reservedPerCardInForce()),
        spec.placementInForce(),
        spec.exclusiveFromPercentInForce());
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
