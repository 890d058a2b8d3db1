package io.baetyl.gpu.accelerator;

/**
 * Whether the container runtime of this node can give a container its accelerators.
 *
 * @param ready whether it can
 * @param reason a word in CamelCase for programs
 * @param message a sentence for people: how it does, or what to do so that it can
 */
public record RuntimeFinding(boolean ready, String reason, String message) {}
