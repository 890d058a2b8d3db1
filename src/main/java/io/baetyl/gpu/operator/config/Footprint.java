package io.baetyl.gpu.operator.config;

/**
 * What a container is given.
 *
 * @param cpuRequest such as {@code 10m}
 * @param memoryRequest such as {@code 96Mi}
 * @param memoryLimit such as {@code 192Mi}
 */
public record Footprint(String cpuRequest, String memoryRequest, String memoryLimit) {}
