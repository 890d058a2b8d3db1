package io.baetyl.gpu.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.baetyl.gpu.accelerator.folder.FolderNode;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.Health;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three nodes, one of them hung, and Baetyl's collector: one node after the other, without a
 * time-out of its own, and with figures of no node where one node's answer is not a 200.
 */
class BaetylCallerIT {
  private static final long MIB = 1 << 20;
  private static final Duration ALLOWED_PER_NODE = Duration.ofSeconds(1);

  @TempDir private Path folder;
  private final HttpClient client = HttpClient.newHttpClient();
  private FolderNode hanging;
  private NodeUnderTest first;
  private NodeUnderTest hung;
  private NodeUnderTest last;

  @BeforeEach
  void start() throws Exception {
    hanging = node("hung", 4096, 2048);
    first = new NodeUnderTest("first", node("first", 8192, 1024));
    hung = new NodeUnderTest("hung", hanging);
    last = new NodeUnderTest("last", node("last", 2048, 0));
  }

  private FolderNode node(String name, long memoryMiB, long usedMiB) throws IOException {
    return new FolderNode(folder.resolve(name)).add(0, name + "-card", memoryMiB, usedMiB);
  }

  @AfterEach
  void stop() throws Exception {
    List.of(first, hung, last).forEach(NodeUnderTest::close);
    client.close();
  }

  private static void settled(NodeUnderTest node) {
    await()
        .pollInterval(Duration.ofMillis(50))
        .until(
            () -> {
              node.pass();
              return node.survey().settled();
            });
  }

  private static void unhealthy(NodeUnderTest node) {
    await()
        .pollInterval(Duration.ofMillis(50))
        .untilAsserted(
            () -> {
              node.pass();
              assertThat(node.survey().devices())
                  .extracting(watched -> watched.health())
                  .containsExactly(Health.UNHEALTHY);
            });
  }

  /** Baetyl's round over the agents' pods. */
  private JsonNode round() throws IOException, InterruptedException {
    ObjectNode nodes = new ObjectMapper().createObjectNode();
    for (var node : List.of(first, hung, last)) {
      var start = System.nanoTime();
      var answer =
          client.send(
              HttpRequest.newBuilder(
                      URI.create("http://127.0.0.1:%d/v1/collect".formatted(node.port())))
                  // So that a failure is one of the test, not of its patience.
                  .timeout(ALLOWED_PER_NODE.multipliedBy(10))
                  .build(),
              BodyHandlers.ofString());
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(ALLOWED_PER_NODE);
      assertThat(answer.statusCode()).isEqualTo(200);
      nodes.setAll((ObjectNode) new ObjectMapper().readTree(answer.body()));
    }
    return nodes;
  }

  private static JsonNode expected(String firstNode, String hungNode, String lastNode)
      throws IOException {
    return new ObjectMapper()
        .readTree(
            "{\"first\":%s,\"hung\":%s,\"last\":%s}".formatted(firstNode, hungNode, lastNode));
  }

  private static String figures(long totalMiB, long usedMiB) {
    var memory =
        "\"usedMemory\":%d,\"totalMemory\":%d,\"percent\":%s"
            .formatted(usedMiB * MIB, totalMiB * MIB, (double) usedMiB / totalMiB);
    return "{\"deviceNum\":1,\"devices\":[{%s}],%s}".formatted(memory, memory);
  }

  @Test
  void aDriverThatHangsKeepsItsLastFiguresAndDelaysNobodys() throws Exception {
    settled(first);
    settled(hung);
    settled(last);
    hanging.hang(0);
    unhealthy(hung);

    assertThat(round().toPrettyString())
        .isEqualTo(
            expected(figures(8192, 1024), figures(4096, 2048), figures(2048, 0)).toPrettyString());
  }

  @Test
  void anAgentThatIsStartedWhileTheDriverHangsKnowsHowMuchThereIs() throws Exception {
    settled(first);
    settled(last);
    hanging.hang(0);
    hung.recall(new Device("hung-card", 0, null, "Folder M", 4096L, null, null, null, null));
    unhealthy(hung);

    assertThat(round().toPrettyString())
        .isEqualTo(
            expected(figures(8192, 1024), figures(4096, 0), figures(2048, 0)).toPrettyString());
  }

  @Test
  void anAgentThatKnowsNothingYetAnswersToo() throws Exception {
    settled(first);
    settled(last);
    hanging.hang(0);
    hung.pass();

    var nodes = round();

    assertThat(nodes.at("/first/deviceNum").asInt()).isEqualTo(1);
    assertThat(nodes.at("/last/totalMemory").asLong()).isEqualTo(2048 * MIB);
    assertThat(nodes.at("/hung"))
        .isEqualTo(
            new ObjectMapper()
                .readTree(
                    "{\"deviceNum\":0,\"devices\":[],\"usedMemory\":0,\"totalMemory\":0,\"percent\":0.0}"));
  }
}
