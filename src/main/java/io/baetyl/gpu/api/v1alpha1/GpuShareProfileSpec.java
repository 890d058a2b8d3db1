package io.baetyl.gpu.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The rules of sharing. Every field may be absent.
 *
 * @param resourceName the extended resource that pods ask for; absent: {@value
 *     #DEFAULT_RESOURCE_NAME}; fixed once made
 * @param unit the memory of one unit, 64Mi to 16Gi in whole MiB; absent: 256Mi; fixed once made
 * @param placement which card is chosen; absent: {@link Placement#BINPACK}
 * @param exclusiveFromPercent a request of at least this share of a card has it alone, 1 to 101
 *     percent, 101 meaning never; absent: {@value #DEFAULT_EXCLUSIVE_FROM_PERCENT}
 * @param reservedPerCard memory kept back on each card for the driver, in whole MiB; absent: 0Mi
 * @param nodeSelector the nodes that share by this profile without naming it; absent: none, empty:
 *     all
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record GpuShareProfileSpec(
    String resourceName,
    String unit,
    Placement placement,
    Integer exclusiveFromPercent,
    String reservedPerCard,
    NodeSelector nodeSelector) {
  public static final String DEFAULT_RESOURCE_NAME = "baidu.com/vcuda-memory";
  public static final String DEFAULT_UNIT = "256Mi";
  public static final int DEFAULT_EXCLUSIVE_FROM_PERCENT = 80;
  public static final GpuShareProfileSpec EMPTY =
      new GpuShareProfileSpec(null, null, null, null, null, null);

  public String resourceNameInForce() {
    return resourceName == null ? DEFAULT_RESOURCE_NAME : resourceName;
  }

  public String unitInForce() {
    return unit == null ? DEFAULT_UNIT : unit;
  }

  public Placement placementInForce() {
    return placement == null ? Placement.BINPACK : placement;
  }

  public int exclusiveFromPercentInForce() {
    return exclusiveFromPercent == null ? DEFAULT_EXCLUSIVE_FROM_PERCENT : exclusiveFromPercent;
  }

  public String reservedPerCardInForce() {
    return reservedPerCard == null ? "0Mi" : reservedPerCard;
  }
}
