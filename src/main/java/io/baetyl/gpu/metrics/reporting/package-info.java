/**
 * Writes what was found into the status of the node's GpuNode: the agent's own fields only, by
 * server-side apply, and only when they change.
 */
package io.baetyl.gpu.metrics.reporting;
