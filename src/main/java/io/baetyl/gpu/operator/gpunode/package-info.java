/** The status of GpuNodes: observe, decide (pure), apply. */
package io.baetyl.gpu.operator.gpunode;
