/** Preempt: whom kube-scheduler has to end on a node so that one card has room for a pod. */
package io.baetyl.gpu.extender.preemption;
