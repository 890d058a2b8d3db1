package io.baetyl.gpu.platform;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * The kubelet's probes of a role: {@code /healthz} answers while the process lives, {@code /readyz}
 * with 200 when it is ready and with 503 and the reason when not.
 */
public final class HealthEndpoint implements AutoCloseable {
  private static final String TEXT = "text/plain; charset=utf-8";

  /** Prometheus 3 does not read a page that names no format. */
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

  private final HttpServer server;

  // A thread for each: one that sends half a request must not keep the kubelet's probes waiting.
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  /**
   * @param port where to listen, on all addresses; 0 for any free one
   * @param whyNotReady empty when ready, else the reason in a sentence
   * @throws IOException if nobody can listen there; the message says what to do
   */
  public HealthEndpoint(int port, Supplier<Optional<String>> whyNotReady) throws IOException {
    server = HttpPort.open(port, "--health-port (HEALTH_PORT)");
    server.setExecutor(threads);
    server.createContext("/healthz", exchange -> answer(exchange, Optional.empty()));
    server.createContext("/readyz", exchange -> answer(exchange, whyNotReady.get()));
  }

  /**
   * Serves figures for Prometheus at one more path.
   *
   * @param path such as {@code /metrics}
   * @param figures makes the text in Prometheus' format, in a moment
   */
  public void serve(String path, Supplier<String> figures) {
    server.createContext(path, exchange -> answer(exchange, 200, PROMETHEUS, figures.get()));
  }

  public void start() {
    server.start();
  }

  public int port() {
    return server.getAddress().getPort();
  }

  private static void answer(HttpExchange exchange, Optional<String> trouble) throws IOException {
    answer(exchange, trouble.isEmpty() ? 200 : 503, TEXT, trouble.orElse("ok").concat("\n"));
  }

  private static void answer(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    var body = text.getBytes(StandardCharsets.UTF_8);
    try (exchange) {
      exchange.getResponseHeaders().set("Content-Type", type);
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
