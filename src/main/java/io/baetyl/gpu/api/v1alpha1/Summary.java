package io.baetyl.gpu.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * The sums over the cards of a node. A card that is not healthy offers nothing to newcomers.
 *
 * @param cards how many there are
 * @param healthyCards how many of them can be handed out
 * @param units how many units they have
 * @param allocatedUnits units that containers hold
 * @param freeUnits units that newcomers can get, on all cards together
 * @param largestFreeUnits the most that one container can get, on one card
 * @param devices the same by card
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Summary(
    Integer cards,
    Integer healthyCards,
    Integer units,
    Integer allocatedUnits,
    Integer freeUnits,
    Integer largestFreeUnits,
    List<DeviceSummary> devices) {
  public Summary {
    devices = devices == null ? List.of() : List.copyOf(devices);
  }
}
