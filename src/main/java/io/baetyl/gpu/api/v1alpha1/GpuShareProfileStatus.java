package io.baetyl.gpu.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * The state of sharing by a profile, summed over its nodes. Written by the operator.
 *
 * @param conditions Ready and SchedulerReady
 * @param observedGeneration the generation of the spec that the operator has acted on
 * @param resourceName the extended resource in force
 * @param unit the memory of one unit in force
 * @param placement the placement in force
 * @param nodes nodes that share by this profile
 * @param cards their cards
 * @param units units of these cards
 * @param allocatedUnits units that containers hold
 * @param freeUnits units that newcomers can get, on all cards together
 * @param largestFreeUnits the most that one container can get, on one card
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record GpuShareProfileStatus(
    List<Condition> conditions,
    Long observedGeneration,
    String resourceName,
    String unit,
    Placement placement,
    Integer nodes,
    Integer cards,
    Integer units,
    Integer allocatedUnits,
    Integer freeUnits,
    Integer largestFreeUnits) {
  public static final GpuShareProfileStatus EMPTY =
      new GpuShareProfileStatus(null, null, null, null, null, null, null, null, null, null, null);

  public GpuShareProfileStatus {
    conditions = conditions == null ? List.of() : List.copyOf(conditions);
  }
}
