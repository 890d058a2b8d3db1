/**
 * Asks the driver about the devices, on threads that it may keep for ever, and judges their health
 * by what it answers, and when. Nothing outside of this package ever waits for a driver.
 */
package io.baetyl.gpu.metrics.watching;
