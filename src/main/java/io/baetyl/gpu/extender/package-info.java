/**
 * The scheduler extender: kube-scheduler asks it which nodes have a card with room for a pod, and
 * leaves the binding to it. It keeps one picture of all cards in memory, moved by watch events, and
 * decides the card of each container in the same write that binds the pod to its node.
 *
 * <p>To read along the way of a call: {@link io.baetyl.gpu.extender.ExtenderServer} takes it,
 * {@link io.baetyl.gpu.extender.NodeQuestion} answers filter and prioritize, {@link
 * io.baetyl.gpu.extender.PodBinding} binds, {@link io.baetyl.gpu.extender.Preemption} chooses
 * victims; all of them ask {@link io.baetyl.gpu.extender.Picture}.
 */
package io.baetyl.gpu.extender;
