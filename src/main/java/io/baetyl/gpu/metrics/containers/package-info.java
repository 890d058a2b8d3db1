/**
 * Which container asked for how much memory of which device, by the GpuNode's allocations, and how
 * much its processes hold, by the driver's list of processes.
 */
package io.baetyl.gpu.metrics.containers;
