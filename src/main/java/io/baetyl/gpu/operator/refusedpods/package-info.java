/**
 * Pods that a kubelet refused for a resource of ours, after a reboot of their node, say: those that
 * a controller has replaced are deleted, with an Event, so that they do not pile up.
 */
package io.baetyl.gpu.operator.refusedpods;
