/**
 * NVIDIA Jetson: a board with one integrated GPU, told by its device tree, without NVML in most
 * releases of JetPack.
 */
package io.baetyl.gpu.accelerator.jetson;
