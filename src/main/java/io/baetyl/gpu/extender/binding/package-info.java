/**
 * Bind: the card of each container is decided under the lock of the node, kept, and written in the
 * same write that binds the pod. What became of a write whose answer is lost is looked up.
 */
package io.baetyl.gpu.extender.binding;
