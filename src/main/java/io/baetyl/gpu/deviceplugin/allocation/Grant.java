package io.baetyl.gpu.deviceplugin.allocation;

import io.baetyl.gpu.api.v1alpha1.Device;

/**
 * What a container is given.
 *
 * @param device its card
 * @param memoryMiB how much of the card's memory, in MiB
 */
public record Grant(Device device, long memoryMiB) {}
