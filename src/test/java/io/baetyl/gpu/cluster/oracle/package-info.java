/**
 * A witness of the tests on the real cluster that shares no code with the product: it reads what
 * the kubelet has written down, what runs and what it was given, and what the GpuNodes claim, and
 * ends a test at the moment in which these contradict each other.
 */
package io.baetyl.gpu.cluster.oracle;
