/**
 * The form of a call: how kube-scheduler's questions are read and its answers written. JSON by hand
 * where a call names thousands of nodes, so that it leaves next to no garbage.
 */
package io.baetyl.gpu.extender.wire;
