/**
 * The device plugin for cards that pods share by memory. It hands out exactly what was decided when
 * the pod was bound, to exactly that pod, and never a unit twice.
 *
 * <p>{@link io.baetyl.gpu.deviceplugin.kubelet} talks to the kubelet, {@link
 * io.baetyl.gpu.deviceplugin.allocation} decides, {@link io.baetyl.gpu.deviceplugin.cluster} talks
 * to the API server, {@link io.baetyl.gpu.deviceplugin.node} looks at files. The bookkeeper brings
 * them in line.
 */
package io.baetyl.gpu.deviceplugin;
