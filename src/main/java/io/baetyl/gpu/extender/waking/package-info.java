/**
 * The pods that no node could take, and how kube-scheduler is made to try them again when one can.
 */
package io.baetyl.gpu.extender.waking;
