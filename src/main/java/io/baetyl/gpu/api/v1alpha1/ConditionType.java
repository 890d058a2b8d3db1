package io.baetyl.gpu.api.v1alpha1;

/** The conditions of both kinds, and who writes each. */
public enum ConditionType {
  /** Sums the others up. GpuNode and GpuShareProfile; operator. */
  READY("Ready"),
  /** The accelerators that the node is to have are there. GpuNode; metrics agent. */
  ACCELERATOR_FOUND("AcceleratorFound"),
  /** The container runtime can give a container an accelerator. GpuNode; metrics agent. */
  RUNTIME_READY("RuntimeReady"),
  /** Metrics are served. GpuNode; operator. */
  MONITORING_READY("MonitoringReady"),
  /** Accelerators can be handed out. GpuNode; operator. */
  ALLOCATION_READY("AllocationReady"),
  /** kube-scheduler asks the extender about pods that share cards. GpuShareProfile; operator. */
  SCHEDULER_READY("SchedulerReady");

  private final String value;

  ConditionType(String value) {
    this.value = value;
  }

  /** The type's name in YAML. */
  public String value() {
    return value;
  }
}
