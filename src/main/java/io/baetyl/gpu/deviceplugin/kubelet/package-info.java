/**
 * The conversation with the kubelet over its unix sockets: registration, the device plugin service,
 * and the list of pods' resources.
 */
package io.baetyl.gpu.deviceplugin.kubelet;
