package io.baetyl.gpu.metrics.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.Sample;
import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.metrics.watching.WatchedDevice;
import io.baetyl.gpu.metrics.watching.WatchedDevice.Presence;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The contract with Baetyl's collector, and the rest of the port. */
class EndpointsIT {
  private static final long MIB = 1 << 20;
  private final HttpClient client = HttpClient.newHttpClient();
  private boolean enabled = true;
  private Endpoints endpoints;

  @AfterEach
  void stop() {
    endpoints.close();
    client.close();
  }

  private void serve(Supplier<Map<String, CollectAnswer>> collect) throws Exception {
    endpoints =
        new Endpoints(
            0, () -> enabled, () -> "metric 1\n".getBytes(StandardCharsets.UTF_8), collect);
    endpoints.start();
  }

  private HttpResponse<String> get(String path) throws Exception {
    var address = URI.create("http://127.0.0.1:" + endpoints.port() + path);
    return client.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString());
  }

  private JsonNode collect() throws Exception {
    var response = get("/v1/collect");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("Content-Type")).contains("application/json");
    return new ObjectMapper().readTree(response.body());
  }

  private static WatchedDevice card(String id, long totalMiB, Optional<Sample> figures) {
    return new WatchedDevice(
        new FoundDevice(id, 0, null, "Tesla P4", null, totalMiB),
        figures.isPresent() ? Health.HEALTHY : Health.UNHEALTHY,
        null,
        figures,
        figures.isPresent(),
        Presence.PRESENT);
  }

  private static Optional<Sample> using(long totalMiB, long usedMiB) {
    return Optional.of(
        new Sample(
            OptionalLong.of(totalMiB * MIB),
            OptionalLong.of(usedMiB * MIB),
            OptionalLong.empty(),
            OptionalDouble.empty(),
            OptionalDouble.empty(),
            OptionalDouble.empty(),
            List.of(),
            Optional.empty()));
  }

  @Test
  void baetylGetsANodesMemoryInBytesAndItsShare() throws Exception {
    serve(
        () ->
            CollectAnswer.of(
                "edge-1",
                List.of(card("a", 4096, using(4096, 1024)), card("b", 4096, Optional.empty()))));

    assertThat(collect())
        .isEqualTo(
            new ObjectMapper()
                .readTree(
                    """
                    {"edge-1": {
                      "deviceNum": 2,
                      "devices": [
                        {"usedMemory": 1073741824, "totalMemory": 4294967296, "percent": 0.25},
                        {"usedMemory": 0, "totalMemory": 4294967296, "percent": 0.0}],
                      "usedMemory": 1073741824,
                      "totalMemory": 8589934592,
                      "percent": 0.125}}
                    """));
  }

  @Test
  void aNodeWithoutDevicesIsStillAnObject() throws Exception {
    serve(() -> CollectAnswer.of("edge-1", List.of()));

    var node = collect().path("edge-1");

    assertThat(node.path("deviceNum").asInt(-1)).isZero();
    assertThat(node.path("devices").isArray()).isTrue();
    assertThat(node.path("percent").isNumber()).isTrue();
  }

  @Test
  void aFaultOfOurOwnIsStillAValidAnswer() throws Exception {
    serve(
        () -> {
          throw new IllegalStateException("a fault of our own, as this test wants it");
        });

    assertThat(collect().isObject()).isTrue();
  }

  @Test
  void prometheusGetsItsFormat() throws Exception {
    serve(Map::of);

    var response = get("/metrics");

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("Content-Type"))
        .contains("text/plain; version=0.0.4; charset=utf-8");
    assertThat(response.body()).isEqualTo("metric 1\n");
  }

  @Test
  void aNodeThatIsNotMonitoredShowsNoFiguresAndSpoilsNobodysAnswer() throws Exception {
    serve(() -> CollectAnswer.of("edge-1", List.of()));
    enabled = false;

    assertThat(get("/metrics").statusCode()).isEqualTo(404);
    assertThat(collect()).isEmpty();
    assertThat(get("/healthz").statusCode()).isEqualTo(200);
  }

  @Test
  void otherPathsAreNotFound() throws Exception {
    serve(Map::of);

    assertThat(get("/metrics/more").statusCode()).isEqualTo(404);
    assertThat(get("/").statusCode()).isEqualTo(404);
    assertThat(get("/readyz").statusCode()).isEqualTo(200);
  }
}
