package io.baetyl.gpu.operator.gpunode;

/**
 * Why something is not ready.
 *
 * @param reason a word in CamelCase for programs
 * @param message a sentence for people: what is wrong and what to do
 */
record Obstacle(String reason, String message) {}
