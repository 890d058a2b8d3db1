package io.baetyl.gpu.deviceplugin.allocation;

import java.util.Map;
import java.util.Set;

/**
 * A container as the kubelet's PodResources list it. App containers and sidecars only: the list has
 * no plain init containers, and no UIDs.
 *
 * @param namespace the pod's namespace
 * @param pod the pod's name
 * @param container the container's name
 * @param ids the units of the plugin's resource that the kubelet has given it
 * @param others resource → the ids that the kubelet has given it of other device plugins' resources
 */
public record ListedContainer(
    String namespace,
    String pod,
    String container,
    Set<String> ids,
    Map<String, Set<String>> others) {

  /** A container that has units of the plugin's resource at most. */
  public ListedContainer(String namespace, String pod, String container, Set<String> ids) {
    this(namespace, pod, container, ids, Map.of());
  }

  public String qualifiedPod() {
    return namespace + "/" + pod;
  }
}
