package io.baetyl.gpu.deviceplugin.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.baetyl.gpu.platform.Clients;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** An API server that takes down what it is asked to write, and takes it or refuses it. */
final class RecordingApiServer implements AutoCloseable {

  /** What was asked, with the path and query, and the body as it came. */
  record Write(String method, String address, String contentType, JsonNode body) {}

  private static final String CONFLICT =
      """
      {"kind": "Status", "apiVersion": "v1", "code": 409, "reason": "Conflict",
       "message": "the UID in the precondition does not match"}""";

  private final ObjectMapper json = new ObjectMapper();
  private final HttpServer server;
  private final List<Write> writes = new CopyOnWriteArrayList<>();
  private volatile boolean refusing;
  private volatile String stored = "{}";

  RecordingApiServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  KubernetesClient client() {
    var address = "http://127.0.0.1:" + server.getAddress().getPort();
    return Clients.builder(new ConfigBuilder().withMasterUrl(address).build()).build();
  }

  List<Write> writes() {
    return writes;
  }

  /** From now on every GET is answered with this object. */
  void store(HasMetadata object) {
    stored = Serialization.asJson(object);
  }

  /** From now on every write is refused, or none. */
  void refuse(boolean all) {
    refusing = all;
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      var body = exchange.getRequestBody().readAllBytes();
      if (exchange.getRequestMethod().equals("GET")) {
        // The client looks at an object before it patches it.
        send(exchange, 200, stored.getBytes(UTF_8));
        return;
      }
      boolean refused = refusing;
      writes.add(
          new Write(
              exchange.getRequestMethod(),
              exchange.getRequestURI().toString(),
              exchange.getRequestHeaders().getFirst("Content-Type"),
              json.readTree(body)));
      send(exchange, refused ? 409 : 200, refused ? CONFLICT.getBytes(UTF_8) : body);
    }
  }

  private static void send(HttpExchange exchange, int status, byte[] answer) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, answer.length);
    exchange.getResponseBody().write(answer);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
