package io.baetyl.gpu.deviceplugin.allocation;

/**
 * A unit as it is offered to the kubelet.
 *
 * @param id its id
 * @param healthy whether it can be handed out
 */
public record Unit(String id, boolean healthy) {}
