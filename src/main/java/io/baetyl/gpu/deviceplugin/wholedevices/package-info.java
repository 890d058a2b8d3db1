/**
 * Handing out devices whole, by count: the scheduler counts, the kubelet and this plugin choose.
 */
package io.baetyl.gpu.deviceplugin.wholedevices;
