package io.baetyl.gpu.metrics.serving;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.baetyl.gpu.platform.HttpPort;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The agent's port: {@code /metrics}, {@code /v1/collect} and the kubelet's probes. */
public final class Endpoints implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Endpoints.class);
  private static final String JSON = "application/json";
  private static final String TEXT = "text/plain; charset=utf-8";

  private final HttpServer server;

  // A thread for each: some that send half a request must not keep the kubelet's probes waiting.
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final ObjectMapper mapper = new ObjectMapper();

  /** Makes the body of an answer. */
  private interface Page {
    Answer make() throws IOException;
  }

  private record Answer(int status, String contentType, byte[] body) {
    static Answer text(int status, String text) {
      return new Answer(status, TEXT, (text + "\n").getBytes(StandardCharsets.UTF_8));
    }
  }

  /**
   * @param port where to listen, on all addresses; 0 for any free one
   * @param enabled whether figures are to be shown
   * @param metrics makes the page for Prometheus, in a moment
   * @param collect makes the answer for Baetyl, in a moment
   * @throws IOException if nobody can listen there; the message says what to do
   */
  public Endpoints(
      int port,
      BooleanSupplier enabled,
      Supplier<byte[]> metrics,
      Supplier<Map<String, CollectAnswer>> collect)
      throws IOException {
    server = HttpPort.open(port, "--port (METRICS_PORT)");
    server.setExecutor(threads);
    serve("/healthz", () -> Answer.text(200, "ok"));
    serve("/readyz", () -> Answer.text(200, "ok"));
    serve(
        "/metrics",
        () ->
            enabled.getAsBoolean()
                ? new Answer(200, Exposition.CONTENT_TYPE, metrics.get())
                : Answer.text(404, "The GpuNode's spec has monitoring: Disabled"));
    serve("/v1/collect", () -> collect(enabled, collect));
  }

  /**
   * Baetyl drops the figures of all nodes when one node's answer is missing or is not a 200, so
   * even a node that is not to be monitored, and a fault of our own, get a valid answer: no nodes.
   */
  private Answer collect(BooleanSupplier enabled, Supplier<Map<String, CollectAnswer>> collect)
      throws JsonProcessingException {
    Map<String, CollectAnswer> nodes = Map.of();
    try {
      nodes = enabled.getAsBoolean() ? collect.get() : Map.of();
    } catch (RuntimeException unforeseen) {
      LOG.error("Cannot make the answer for Baetyl", unforeseen);
    }
    return new Answer(200, JSON, mapper.writeValueAsBytes(nodes));
  }

  private void serve(String path, Page page) {
    server.createContext(path, exchange -> answer(exchange, path, page));
  }

  private static void answer(HttpExchange exchange, String path, Page page) throws IOException {
    try (exchange) {
      var answer =
          answer(exchange.getRequestMethod(), exchange.getRequestURI().getPath(), path, page);
      exchange.getResponseHeaders().set("Content-Type", answer.contentType());
      exchange.sendResponseHeaders(answer.status(), answer.body().length);
      exchange.getResponseBody().write(answer.body());
    }
  }

  private static Answer answer(String method, String asked, String path, Page page)
      throws IOException {
    if (!asked.equals(path)) {
      return Answer.text(404, "Not found: there are /metrics, /v1/collect, /healthz and /readyz");
    }
    if (!method.equals("GET")) {
      return Answer.text(405, "Only GET");
    }
    try {
      return page.make();
    } catch (RuntimeException unforeseen) {
      // The server would close the connection and say nothing, here or there.
      LOG.error("Cannot make a page. path={}", path, unforeseen);
      return Answer.text(500, "The agent cannot make this page; see its log");
    }
  }

  public void start() {
    server.start();
  }

  public int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
