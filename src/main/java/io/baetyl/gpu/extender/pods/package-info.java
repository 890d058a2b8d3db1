/**
 * What the extender reads of a pod, by whomever it is sent: the watch, a look at the API server, or
 * kube-scheduler.
 */
package io.baetyl.gpu.extender.pods;
