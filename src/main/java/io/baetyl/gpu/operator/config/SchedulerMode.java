package io.baetyl.gpu.operator.config;

/** How kube-scheduler is made to ask the extender. */
public enum SchedulerMode {
  /** A second kube-scheduler of our own, for pods that share cards only. */
  DEDICATED
}
