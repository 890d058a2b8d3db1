/**
 * The certificates that the scheduler and the extender know each other by, from an authority of the
 * operator's own.
 */
package io.baetyl.gpu.operator.certificates;
