package io.baetyl.gpu.deviceplugin.allocation;

import java.util.Collection;
import java.util.Set;

/**
 * Answers the kubelet's two questions: which units a container should get, and what it needs to use
 * them. Thread-safe: the kubelet admits pods one by one, but allocates again at a container's start
 * beside that.
 */
public interface Allocator {

  /**
   * The units that a container should get: exactly as many as it asks for, since the kubelet fills
   * up with any others otherwise.
   *
   * @param available what the kubelet has to give
   * @param mustInclude what it takes over from the pod's init containers, part of the answer
   * @param size how many units the container asks for
   * @throws AllocationRefusedException if the container cannot be served
   */
  Set<String> prefer(Set<String> available, Set<String> mustInclude, int size)
      throws AllocationRefusedException;

  /**
   * Hands units out to a container. Looks at nothing but memory, since the kubelet's own account of
   * units is vulnerable for as long as this takes.
   *
   * @throws AllocationRefusedException if the container must not have them
   */
  Grant allocate(Collection<String> ids) throws AllocationRefusedException;
}
