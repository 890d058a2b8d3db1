package io.baetyl.gpu.cluster;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;

/** The product's own pods. */
final class Components {
  private Components() {}

  static List<Pod> pods(KubernetesClient client, String name) {
    return client
        .pods()
        .inNamespace(TestCluster.SYSTEM)
        .withLabel("app.kubernetes.io/name", name)
        .list()
        .getItems();
  }

  static Pod podOn(KubernetesClient client, String name, String node) {
    return pods(client, name).stream()
        .filter(pod -> node.equals(pod.getSpec().getNodeName()))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no pod of " + name + " on " + node));
  }

  /** What a component's pod on a node answers to {@code GET /metrics}. */
  static String metrics(String name, String node, int port) {
    return get(name, node, port, "/metrics");
  }

  static String get(String name, String node, int port, String path) {
    var pod = podOn(TestCluster.withDefaultNodes().client(), name, node);
    return TestCluster.kubectl(
        "get",
        "--raw",
        "/api/v1/namespaces/%s/pods/%s:%d/proxy%s"
            .formatted(TestCluster.SYSTEM, pod.getMetadata().getName(), port, path));
  }

  /**
   * Kills the main process of a component's pods and waits until their containers have been started
   * again.
   */
  static void kill(KubernetesClient client, String name) {
    var killed = pods(client, name);
    killed.forEach(
        pod ->
            client
                .pods()
                .inNamespace(TestCluster.SYSTEM)
                .withName(pod.getMetadata().getName())
                .withGracePeriod(0)
                .delete());
    await(name + " runs again")
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                pods(client, name).stream()
                        .filter(
                            pod ->
                                killed.stream()
                                    .noneMatch(
                                        old ->
                                            old.getMetadata()
                                                .getUid()
                                                .equals(pod.getMetadata().getUid())))
                        .filter(Components::ready)
                        .count()
                    == killed.size());
  }

  private static boolean ready(Pod pod) {
    return pod.getStatus().getConditions().stream()
        .anyMatch(
            condition ->
                condition.getType().equals("Ready") && condition.getStatus().equals("True"));
  }
}
