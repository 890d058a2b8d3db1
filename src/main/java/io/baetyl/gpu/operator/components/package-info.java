/**
 * The workloads that the GpuNodes of a cluster share, and the labels that bring them to the nodes:
 * what they look like (pure), what is wanted of them, and how they are.
 */
package io.baetyl.gpu.operator.components;
