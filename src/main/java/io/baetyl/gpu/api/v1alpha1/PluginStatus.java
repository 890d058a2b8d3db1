package io.baetyl.gpu.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * What the device plugin says of itself.
 *
 * @param state whether it serves
 * @param message why it does not, in a sentence
 * @param resourceName the extended resource that it counts; absent before it counts any
 * @param unit the memory of the units in which it counts, and so of those in the allocations, 64Mi
 *     to 16Gi in whole MiB; absent before it counts any
 * @param accelerator the type of the devices that it hands out, and so of those in the allocations
 *     without a resourceName; absent where an earlier version wrote it
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PluginStatus(
    PluginState state,
    String message,
    String resourceName,
    String unit,
    AcceleratorType accelerator) {}
