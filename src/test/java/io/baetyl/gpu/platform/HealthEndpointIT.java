package io.baetyl.gpu.platform;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The probes of a role over real HTTP. */
class HealthEndpointIT {
  private final HttpClient client = HttpClient.newHttpClient();
  private volatile Optional<String> whyNotReady = Optional.empty();
  private HealthEndpoint endpoint;

  @BeforeEach
  void serve() throws IOException {
    endpoint = new HealthEndpoint(0, () -> whyNotReady);
    endpoint.serve("/metrics", () -> "baetyl_gpu_anything 1\n");
    endpoint.start();
  }

  @AfterEach
  void close() {
    endpoint.close();
    client.close();
  }

  @Test
  void aRoleThatIsNotReadySaysWhyAndIsAliveAllTheSame() throws Exception {
    whyNotReady = Optional.of("The API server has not answered yet");

    var ready = get("/readyz");

    assertThat(ready.statusCode()).isEqualTo(503);
    assertThat(ready.body()).isEqualTo("The API server has not answered yet\n");
    assertThat(get("/healthz").statusCode()).isEqualTo(200);
  }

  @Test
  void namesTheFormatOfItsMetricsSinceLaterVersionsOfPrometheusInsistOnIt() throws Exception {
    var page = get("/metrics");

    assertThat(page.headers().firstValue("Content-Type"))
        .hasValue("text/plain; version=0.0.4; charset=utf-8");
    assertThat(page.body()).isEqualTo("baetyl_gpu_anything 1\n");
  }

  @Test
  void aClientThatDoesNotFinishItsRequestHoldsNobodyUp() throws Exception {
    try (var dawdler = new Socket(InetAddress.getLoopbackAddress(), endpoint.port())) {
      dawdler.getOutputStream().write("GET /hea".getBytes(US_ASCII));

      var alive = get("/healthz");

      assertThat(alive.statusCode()).isEqualTo(200);
    }
  }

  @Test
  void aPortThatIsTakenIsNamedWithTheCure() {
    assertThatThrownBy(() -> new HealthEndpoint(endpoint.port(), Optional::empty))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Port " + endpoint.port() + " cannot be listened on")
        .hasMessageContaining("Address already in use")
        .hasMessageContaining("another port with --health-port (HEALTH_PORT)");
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(URI.create("http://localhost:" + endpoint.port() + path))
            .timeout(Duration.ofSeconds(5))
            .build();
    return client.send(request, BodyHandlers.ofString());
  }
}
