/** What the API server tells the device plugin, and what the device plugin tells it. */
package io.baetyl.gpu.deviceplugin.cluster;
