/** GpuNodes for the nodes that Baetyl has labelled with a type of accelerator. */
package io.baetyl.gpu.operator.labellednodes;
