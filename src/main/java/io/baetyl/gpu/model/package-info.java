/**
 * The domain, pure: units of memory, what a pod demands, what the cards of a node have left, which
 * card a container gets, and the sums in the status. Nothing here knows a client, a clock or a
 * file, so that extender, device plugin and operator come to the same answer from the same facts.
 */
package io.baetyl.gpu.model;
