package io.baetyl.gpu.metrics.containers;

import java.util.OptionalLong;

/**
 * The memory of one device that one container asked for and uses.
 *
 * @param requestedBytes what it asked for; empty where the profile is not known
 * @param usedBytes what its processes hold; empty where that cannot be told, and never the value of
 *     the whole device
 */
public record ContainerMemory(
    String namespace,
    String pod,
    String container,
    String uuid,
    OptionalLong requestedBytes,
    OptionalLong usedBytes) {}
