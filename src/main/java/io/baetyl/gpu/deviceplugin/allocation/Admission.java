package io.baetyl.gpu.deviceplugin.allocation;

import io.baetyl.gpu.model.PodDemand.Part;
import java.util.Optional;

/**
 * A container that the kubelet is getting units for.
 *
 * @param pod its pod
 * @param container its name; empty where only the pod is known
 */
public record Admission(NodePod pod, String container) {

  /** The containers that have to be on one card with this one; empty where nobody knows. */
  public Optional<Part> part() {
    return pod.demand().parts().stream()
        .filter(part -> part.containers().contains(container))
        .findFirst();
  }

  /** Whether both are for one container, whatever the pod's object says by now. */
  boolean isFor(Admission other) {
    return pod.key().equals(other.pod.key()) && container.equals(other.container);
  }

  /** A container gets no more than it asks for. */
  public void refuseMoreThanAsked(int units) throws AllocationRefusedException {
    var request = pod.request(container);
    if (request.isPresent() && units > request.get().units()) {
      throw new AllocationRefusedException(
          "%s asks for %d units, and the kubelet wants %d for it"
              .formatted(describe(), request.get().units(), units));
    }
  }

  public String describe() {
    return "container \"" + container + "\" of pod " + pod.qualifiedName();
  }
}
