/**
 * Handing out the memory of shared cards in units: each container has units of the one card that
 * was decided for it when its pod was bound.
 */
package io.baetyl.gpu.deviceplugin.sharing;
