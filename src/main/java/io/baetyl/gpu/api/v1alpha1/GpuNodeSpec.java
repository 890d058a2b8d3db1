package io.baetyl.gpu.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * What the user asks for on a node. Every field may be absent; the schema carries no defaults,
 * since those would be written into an object that Git owns.
 *
 * @param accelerator the type of accelerator; absent: the node label {@code baetyl-accelerator},
 *     else what is found
 * @param monitoring whether metrics are served; absent: {@link Monitoring#ENABLED}
 * @param allocation how the accelerators are handed to pods; absent: {@link AllocationMode#NONE}
 * @param shareProfile with {@link AllocationMode#SHARED}, the {@link GpuShareProfile} to share by;
 *     absent: the profile whose nodeSelector matches the node, else the one named {@code default}
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record GpuNodeSpec(
    AcceleratorType accelerator,
    Monitoring monitoring,
    AllocationMode allocation,
    String shareProfile) {
  public static final GpuNodeSpec EMPTY = new GpuNodeSpec(null, null, null, null);

  public Monitoring monitoringInForce() {
    return monitoring == null ? Monitoring.ENABLED : monitoring;
  }

  public AllocationMode allocationInForce() {
    return allocation == null ? AllocationMode.NONE : allocation;
  }
}
