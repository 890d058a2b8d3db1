/**
 * The scheduler extender: kube-scheduler asks it which nodes have a card with room for a pod, and
 * leaves the binding to it. It keeps one picture of all cards in memory, moved by watch events, and
 * decides the card of each container in the same write that binds the pod to its node.
 *
 * <p>To read along the way of a call: {@link io.baetyl.gpu.extender.ExtenderServer} takes it and
 * hands it to a {@link io.baetyl.gpu.extender.Verb}. {@link io.baetyl.gpu.extender.Filter} and
 * {@link io.baetyl.gpu.extender.Prioritize} answer by themselves, {@link
 * io.baetyl.gpu.extender.Bind} asks {@link io.baetyl.gpu.extender.PodBinding}, and {@link
 * io.baetyl.gpu.extender.Preempt} asks {@link io.baetyl.gpu.extender.Preemption}; all of them look
 * at {@link io.baetyl.gpu.extender.Picture}. Beside the calls {@link
 * io.baetyl.gpu.extender.Watches} moves the picture, and {@link io.baetyl.gpu.extender.Waker} tells
 * of room.
 */
package io.baetyl.gpu.extender;
