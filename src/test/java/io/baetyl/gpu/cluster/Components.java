package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;

/** The product's own pods. */
final class Components {
  static final String DEVICE_PLUGIN = "baetyl-accelerator-device-plugin-nvidia-shared";
  static final String EXTENDER = "baetyl-gpu-scheduler-extender";

  private static final HttpClient HTTP = HttpClient.newHttpClient();

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

  /** Waits until all node agents are of the operator's own version. */
  static void awaitRolledOut(KubernetesClient client) {
    await("the agents of this version are rolled out")
        .atMost(Duration.ofSeconds(120))
        .pollInterval(Duration.ofMillis(250))
        .untilAsserted(
            () -> {
              var image =
                  client
                      .apps()
                      .deployments()
                      .inNamespace(TestCluster.SYSTEM)
                      .withName("baetyl-gpu-operator")
                      .get()
                      .getSpec()
                      .getTemplate()
                      .getSpec()
                      .getContainers()
                      .getFirst()
                      .getImage();
              assertThat(
                      client
                          .apps()
                          .daemonSets()
                          .inNamespace(TestCluster.SYSTEM)
                          .withLabel("app.kubernetes.io/managed-by", "baetyl-gpu-operator")
                          .list()
                          .getItems())
                  .isNotEmpty()
                  .allSatisfy(agents -> assertRolledOut(agents, image));
            });
  }

  private static void assertRolledOut(DaemonSet agents, String image) {
    var status = agents.getStatus();
    assertThat(agents.getSpec().getTemplate().getSpec().getContainers())
        .extracting(container -> container.getImage())
        .containsOnly(image);
    assertThat(status.getObservedGeneration()).isEqualTo(agents.getMetadata().getGeneration());
    assertThat(status.getUpdatedNumberScheduled()).isEqualTo(status.getDesiredNumberScheduled());
    assertThat(status.getNumberReady()).isEqualTo(status.getDesiredNumberScheduled());
  }

  /** What a component's pod on a node answers to {@code GET /metrics}. */
  static String metrics(String name, String node, int port) {
    return get(name, node, port, "/metrics");
  }

  /** What the only pod of a component answers to {@code GET /metrics}. */
  static String metrics(String name, int port) {
    return get(pods(TestCluster.connected(), name).getFirst(), port, "/metrics");
  }

  static String get(String name, String node, int port, String path) {
    return get(podOn(TestCluster.connected(), name, node), port, path);
  }

  private static String get(Pod pod, int port, String path) {
    var url = "http://%s:%d%s".formatted(pod.getStatus().getPodIP(), port, path);
    try {
      return HTTP.send(
              HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofSeconds(5)).build(),
              HttpResponse.BodyHandlers.ofString())
          .body();
    } catch (IOException unanswered) {
      throw new AssertionError(url, unanswered);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError(url, interrupted);
    }
  }

  /** Kills the processes of a component and waits until its pods have started others. */
  static void crash(KubernetesClient client, String name) {
    var crashed = podsOnNodes(client, name);
    crashed.forEach(
        pod -> PodProcesses.kill(pod.getSpec().getNodeName(), pod.getMetadata().getUid()));
    await(name + " runs again")
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              var there = pods(client, name);
              assertThat(crashed)
                  .as("started again, of %s", states(there))
                  .allMatch(pod -> there.stream().anyMatch(now -> isStartedAfter(pod, now)));
            });
  }

  private static boolean isStartedAfter(Pod before, Pod now) {
    return now.getMetadata().getUid().equals(before.getMetadata().getUid())
        && restarts(now) > restarts(before)
        && ready(now);
  }

  /** How often the containers of a pod have been started again, together. */
  static int restarts(Pod pod) {
    return pod.getStatus().getContainerStatuses().stream()
        .mapToInt(container -> container.getRestartCount())
        .sum();
  }

  /** A pod of a node that was removed stays for a while, and no other takes its place. */
  private static List<Pod> podsOnNodes(KubernetesClient client, String name) {
    var nodes =
        client.nodes().list().getItems().stream()
            .map(node -> node.getMetadata().getName())
            .toList();
    return pods(client, name).stream()
        .filter(pod -> nodes.contains(pod.getSpec().getNodeName()))
        .toList();
  }

  /** Deletes a component's pods by force and waits until others have taken their place. */
  static void kill(KubernetesClient client, String name) {
    var killed = podsOnNodes(client, name);
    killed.forEach(
        pod ->
            client
                .pods()
                .inNamespace(TestCluster.SYSTEM)
                .withName(pod.getMetadata().getName())
                .withGracePeriod(0)
                .delete());
    var old = killed.stream().map(pod -> pod.getMetadata().getUid()).toList();
    await(name + " runs again")
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              var there = pods(client, name);
              assertThat(there)
                  .filteredOn(pod -> !old.contains(pod.getMetadata().getUid()))
                  .filteredOn(Components::ready)
                  .as("ready in place of %s, of %s", old, states(there))
                  .hasSameSizeAs(killed);
            });
  }

  private static List<String> states(List<Pod> pods) {
    return pods.stream()
        .map(
            pod ->
                "%s %s on %s: %s"
                    .formatted(
                        pod.getMetadata().getName(),
                        pod.getMetadata().getUid(),
                        pod.getSpec().getNodeName(),
                        pod.getStatus().getContainerStatuses()))
        .toList();
  }

  static boolean ready(Pod pod) {
    return pod.getStatus().getConditions().stream()
        .anyMatch(
            condition ->
                condition.getType().equals("Ready") && condition.getStatus().equals("True"));
  }
}
