/**
 * The role {@code metrics}: finds the accelerators of its node and keeps watching them. {@link
 * io.baetyl.gpu.metrics.watching} asks the driver and never waits for it, {@link
 * io.baetyl.gpu.metrics.serving} shows the figures to Prometheus and to Baetyl, {@link
 * io.baetyl.gpu.metrics.reporting} writes what was found into the node's GpuNode.
 */
package io.baetyl.gpu.metrics;
