/**
 * Filter and prioritize: which nodes could take a pod, and which of them it should rather go to.
 * Both only look; nothing is kept for the pod.
 */
package io.baetyl.gpu.extender.filtering;
