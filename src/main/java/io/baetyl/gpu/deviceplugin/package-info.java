/**
 * The device plugin. It hands out devices whole ({@link io.baetyl.gpu.deviceplugin.wholedevices}),
 * or shared cards by memory ({@link io.baetyl.gpu.deviceplugin.sharing}): exactly what was decided
 * when the pod was bound, to exactly that pod. Neither is ever out twice ({@link
 * io.baetyl.gpu.deviceplugin.allocation}).
 *
 * <p>{@link io.baetyl.gpu.deviceplugin.kubelet} talks to the kubelet, {@link
 * io.baetyl.gpu.deviceplugin.cluster} to the API server, {@link io.baetyl.gpu.deviceplugin.node}
 * looks at files. The bookkeeper brings them in line.
 */
package io.baetyl.gpu.deviceplugin;
