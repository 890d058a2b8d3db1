package io.baetyl.gpu.deviceplugin.allocation;

/**
 * A container that the kubelet is getting units for.
 *
 * @param pod its pod
 * @param container its name; empty where only the pod is known
 */
record Admission(NodePod pod, String container) {

  String describe() {
    return "container \"" + container + "\" of pod " + pod.qualifiedName();
  }
}
