package io.baetyl.gpu.cluster;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A kubelet that writes into its log what it asks of device plugins. */
final class KubeletLog implements AutoCloseable {
  /** The level at which the device manager says before each Allocate that it makes it. */
  private static final int REQUESTS = 4;

  private static final String ALLOCATE = "Making allocation request for device plugin";

  private final KubernetesClient client;
  private final String node;
  private final Path file;
  private final long from;

  private KubeletLog(KubernetesClient client, String node) {
    this.client = client;
    this.node = node;
    this.file = TestCluster.root(node).resolve("var/log/dev-cluster/kubelet.log");
    this.from = size();
    verbosity(REQUESTS);
  }

  static KubeletLog of(KubernetesClient client, String node) {
    return new KubeletLog(client, node);
  }

  /** Waits until the kubelet has asked for an Allocate for a pod. */
  void awaitAllocate(String namespace, String pod) {
    var wanted = "\"" + namespace + "/" + pod + "\"";
    await("the kubelet asks for an Allocate for " + pod)
        .atMost(Sharing.POD_START)
        .pollInterval(Duration.ofMillis(5))
        .until(
            () ->
                written()
                    .lines()
                    .anyMatch(line -> line.contains(ALLOCATE) && line.contains(wanted)));
  }

  private String written() {
    try (var channel = FileChannel.open(file)) {
      channel.position(from);
      return new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private long size() {
    try {
      return Files.size(file);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private void verbosity(int level) {
    client.raw(
        "/api/v1/nodes/%s/proxy/debug/flags/v".formatted(node), "PUT", Integer.toString(level));
  }

  @Override
  public void close() {
    verbosity(0);
  }
}
