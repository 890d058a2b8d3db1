package io.baetyl.gpu.platform;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How the client behaves towards an API server, over a socket. */
class ClientsIT {
  private static final String LIST =
      """
      {"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[]}
      """;

  /** What an API server sends that has forgotten the version since it was started. */
  private static final String EXPIRED =
      """
      {"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",\
      "message":"too old resource version: 5 (46041)","reason":"Expired","code":410}}
      """;

  @Test
  void aWatchThatHasExpiredBeginsWithAListAgain() throws IOException {
    var lists = new AtomicInteger();
    var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", exchange -> answer(exchange, lists));
    server.start();
    var config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
            .build();
    try (var client = Clients.builder(config).build();
        var pods = client.pods().inAnyNamespace().runnableInformer(0)) {
      pods.start();

      await("a second list").atMost(Duration.ofSeconds(20)).until(() -> lists.get() > 1);
    } finally {
      server.stop(0);
    }
  }

  private static void answer(HttpExchange call, AtomicInteger lists) throws IOException {
    var query = String.valueOf(call.getRequestURI().getQuery());
    boolean watch = query.contains("watch=true");
    if (!watch) {
      lists.incrementAndGet();
    }
    var body = (watch ? EXPIRED : LIST).getBytes(UTF_8);
    call.getResponseHeaders().add("Content-Type", "application/json");
    call.sendResponseHeaders(200, body.length);
    try (var out = call.getResponseBody()) {
      out.write(body);
    }
  }
}
