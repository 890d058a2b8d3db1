/**
 * The scheduler extender: kube-scheduler asks it which nodes have a card with room for a pod, and
 * leaves the binding to it. It keeps one picture of all cards in memory, moved by watch events, and
 * decides the card of each container in the same write that binds the pod to its node.
 *
 * <p>To read along the way of a call: {@link io.baetyl.gpu.extender.serving.ExtenderServer} takes
 * it and hands it to a {@link io.baetyl.gpu.extender.wire.Verb}. {@link
 * io.baetyl.gpu.extender.filtering.Filter} and {@link io.baetyl.gpu.extender.filtering.Prioritize}
 * answer by themselves, {@link io.baetyl.gpu.extender.binding.Bind} asks {@link
 * io.baetyl.gpu.extender.binding.PodBinding}, and {@link io.baetyl.gpu.extender.preemption.Preempt}
 * asks its Preemption; all of them look at {@link io.baetyl.gpu.extender.picture.Picture}. Beside
 * the calls {@link io.baetyl.gpu.extender.watching.Watches} moves the picture, and {@link
 * io.baetyl.gpu.extender.waking.Waker} tells of room.
 *
 * <p>{@code SchedulerExtender} puts the parts together, and {@code Upkeep} looks after them; no
 * part knows of this package.
 */
package io.baetyl.gpu.extender;
