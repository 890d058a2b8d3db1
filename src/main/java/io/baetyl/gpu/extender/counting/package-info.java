/** What the extender counts of its own work, for Prometheus. */
package io.baetyl.gpu.extender.counting;
