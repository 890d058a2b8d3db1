/**
 * Which units a container gets, and who holds which: the exact part of the device plugin, without
 * gRPC, client or file. {@link io.baetyl.gpu.deviceplugin.allocation.Allocator} answers the
 * kubelet, {@link io.baetyl.gpu.deviceplugin.allocation.Ledger} remembers.
 */
package io.baetyl.gpu.deviceplugin.allocation;
