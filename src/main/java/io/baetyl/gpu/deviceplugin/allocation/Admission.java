package io.baetyl.gpu.deviceplugin.allocation;

import io.baetyl.gpu.model.PodDemand.Part;
import java.util.Optional;

/**
 * A container that the kubelet is getting units for.
 *
 * @param pod its pod
 * @param container its name; empty where only the pod is known
 */
record Admission(NodePod pod, String container) {

  /** The containers that have to be on one card with this one; empty where nobody knows. */
  Optional<Part> part() {
    return pod.demand().parts().stream()
        .filter(part -> part.containers().contains(container))
        .findFirst();
  }

  String describe() {
    return "container \"" + container + "\" of pod " + pod.qualifiedName();
  }
}
