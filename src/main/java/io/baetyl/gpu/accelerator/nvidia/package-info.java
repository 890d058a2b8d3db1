/**
 * NVIDIA cards, through NVIDIA's own management library (NVML) and the JDK's foreign function
 * interface. {@link io.baetyl.gpu.accelerator.nvidia.Nvml} knows the library's functions, {@link
 * io.baetyl.gpu.accelerator.nvidia.NvmlStructs} its structures and {@link
 * io.baetyl.gpu.accelerator.nvidia.NvmlReturn} its return codes; nothing else does.
 */
package io.baetyl.gpu.accelerator.nvidia;
