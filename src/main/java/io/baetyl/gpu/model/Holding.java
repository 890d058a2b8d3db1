package io.baetyl.gpu.model;

import io.baetyl.gpu.api.v1alpha1.Device;

/**
 * Units of one card that one pod holds.
 *
 * @param podUid the pod
 * @param card the {@link Device#id}
 * @param units how many, at least 1
 */
public record Holding(String podUid, String card, int units) {}
