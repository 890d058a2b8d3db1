package io.baetyl.gpu.cluster;

import io.fabric8.kubernetes.client.KubernetesClient;

/** The kubelet of a node, as a process. */
final class Kubelet {
  private static final String PID = "$(cat /run/dev-cluster/kubelet.pid)";

  private Kubelet() {}

  /** Stops it where it is: pods that are bound meanwhile wait for it. */
  static void pause(String node) {
    signal(node, "STOP");
  }

  static void resume(String node) {
    signal(node, "CONT");
  }

  /** Kills it; the node starts another one at once. */
  static void kill(String node) {
    signal(node, "KILL");
  }

  /** Whether the kubelet waits for an answer of a device plugin, by the stacks of its threads. */
  static boolean waitsForPlugin(KubernetesClient client, String node) {
    return client
        .raw("/api/v1/nodes/%s/proxy/debug/pprof/goroutine?debug=2".formatted(node))
        .contains("devicemanager.(*endpointImpl).getPreferredAllocation");
  }

  private static void signal(String node, String signal) {
    TestCluster.onNode(node, "sh", "-c", "kill -" + signal + " " + PID);
  }
}
