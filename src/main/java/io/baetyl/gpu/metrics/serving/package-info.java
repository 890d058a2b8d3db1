/**
 * Shows the figures: to Prometheus at {@code /metrics}, to Baetyl at {@code /v1/collect}.
 *
 * <p>The text for Prometheus is written by hand. It is gauges only, and one page of code: encoding
 * a thousand of them takes some tens of microseconds and no garbage, where the libraries take most
 * of a millisecond and a megabyte each time, and bring several megabytes of their own to a process
 * that has to be small.
 */
package io.baetyl.gpu.metrics.serving;
