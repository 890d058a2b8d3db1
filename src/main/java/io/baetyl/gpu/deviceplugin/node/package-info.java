/** What the files of the node tell the device plugin. */
package io.baetyl.gpu.deviceplugin.node;
