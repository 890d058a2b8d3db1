package io.baetyl.gpu.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The units of one card.
 *
 * @param id the {@link Device#id}
 * @param allocatedUnits units that containers hold
 * @param freeUnits units that a newcomer can get
 * @param occupancy whether the card has room for others
 * @param health that of the {@link Device} when the sums were made
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DeviceSummary(
    String id, Integer allocatedUnits, Integer freeUnits, Occupancy occupancy, Health health) {}
