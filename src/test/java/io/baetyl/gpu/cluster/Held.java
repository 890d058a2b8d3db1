package io.baetyl.gpu.cluster;

/** A container's share of a card, whoever says so. */
record Held(String pod, String container, String card, int units) {}
