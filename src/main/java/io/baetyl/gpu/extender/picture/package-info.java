/**
 * All nodes and cards, and who holds them, in memory. Events move it one at a time; each node shows
 * an immutable {@link io.baetyl.gpu.extender.picture.NodeView} that calls read without a lock.
 */
package io.baetyl.gpu.extender.picture;
