package io.baetyl.gpu.operator.gpushareprofile;

import io.baetyl.gpu.api.v1alpha1.Component;
import io.baetyl.gpu.api.v1alpha1.ComponentState;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfile;
import io.baetyl.gpu.api.v1alpha1.Summary;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * All that a profile's status is derived from.
 *
 * @param rival the name of an older profile with the same resource name
 * @param nodes the summaries of the nodes that share by the profile, as far as they are known
 * @param extender the scheduler extender
 * @param scheduler the second kube-scheduler
 * @param strandedPods how many pods ask for the resource but wait for another scheduler
 * @param schedulerNameIsSet whether admission can set the scheduler's name in pods
 */
record ProfileFacts(
    GpuShareProfile profile,
    Optional<String> rival,
    List<Optional<Summary>> nodes,
    Component extender,
    Component scheduler,
    int strandedPods,
    boolean schedulerNameIsSet) {

  /** Whether a component starts that may turn out, by time alone, not to. */
  boolean starts() {
    return !nodes.isEmpty()
        && Stream.of(extender, scheduler)
            .anyMatch(component -> component.state() == ComponentState.PENDING);
  }
}
