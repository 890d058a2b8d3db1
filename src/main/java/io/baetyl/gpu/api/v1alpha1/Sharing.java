package io.baetyl.gpu.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The rules by which a node shares its cards, nothing left out. The agents on the node and the
 * scheduler extender go by these alone, so that all of them count in the same units.
 *
 * @param resourceName the extended resource that pods ask for
 * @param unit the memory of one unit, 64Mi to 16Gi in whole MiB
 * @param placement which card is chosen where several would do
 * @param exclusiveFromPercent a request of at least this share of a card has it alone, 1 to 101
 *     percent, 101 meaning never
 * @param reservedPerCard memory kept back on each card, in whole MiB
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Sharing(
    String resourceName,
    String unit,
    Placement placement,
    Integer exclusiveFromPercent,
    String reservedPerCard) {

  /** The rules of a profile. */
  public static Sharing of(GpuShareProfileSpec spec) {
    return new Sharing(
        spec.resourceNameInForce(),
        spec.unitInForce(),
        spec.placementInForce(),
        spec.exclusiveFromPercentInForce(),
        spec.reservedPerCardInForce());
  }

  /** The same rules in the units in which a device plugin counts. */
  public Sharing countedLike(PluginStatus plugin) {
    return new Sharing(
        plugin.resourceName(), plugin.unit(), placement, exclusiveFromPercent, reservedPerCard);
  }
}
