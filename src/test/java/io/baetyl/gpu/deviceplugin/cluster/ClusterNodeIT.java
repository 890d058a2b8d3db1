package io.baetyl.gpu.deviceplugin.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.platform.Clients;
import io.fabric8.kubernetes.client.ConfigBuilder;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What the device plugin asks of the API server while the kubelet waits. */
class ClusterNodeIT {

  @Test
  void anApiServerThatDoesNotAnswerHoldsNoAdmissionUp() throws Exception {
    try (var silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      assertThat(read(silent.getLocalPort()))
          .succeedsWithin(Duration.ofSeconds(5))
          .isEqualTo(Optional.empty());
    }
  }

  @Test
  void norDoesOneThatIsNotThere() throws Exception {
    int port;
    try (var closed = new ServerSocket(0)) {
      port = closed.getLocalPort();
    }
    assertThat(read(port)).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(Optional.empty());
  }

  private static CompletableFuture<Object> read(int port) {
    return CompletableFuture.supplyAsync(
        () -> {
          var config = new ConfigBuilder().withMasterUrl("http://127.0.0.1:" + port).build();
          try (var client = Clients.builder(config).build();
              var node = new ClusterNode(client, "edge-01", status -> Optional.empty(), () -> {})) {
            return node.read("default", "some-pod");
          }
        });
  }
}
