package io.baetyl.gpu.deviceplugin.allocation;

import java.util.Set;

/**
 * A container as the kubelet's PodResources list it. App containers and sidecars only: the list has
 * no plain init containers, and no UIDs.
 *
 * @param namespace the pod's namespace
 * @param pod the pod's name
 * @param container the container's name
 * @param ids the units of the shared resource that the kubelet has given it
 */
public record ListedContainer(String namespace, String pod, String container, Set<String> ids) {

  String qualifiedPod() {
    return namespace + "/" + pod;
  }
}
