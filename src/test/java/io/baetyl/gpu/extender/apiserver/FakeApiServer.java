package io.baetyl.gpu.extender.apiserver;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An API server behind a socket, which answers as it is told to. */
public final class FakeApiServer implements AutoCloseable {

  /** Answers one request. */
  public interface Answer {
    void to(HttpExchange request) throws IOException;
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final List<String> bodies = new CopyOnWriteArrayList<>();
  private volatile Answer answer = json(404, "{}");

  public FakeApiServer() {
    try {
      server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    server.setExecutor(threads);
    server.createContext(
        "/",
        request -> {
          try (request) {
            var body = new String(request.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            requests.add(request.getRequestMethod() + " " + request.getRequestURI());
            bodies.add(body);
            answer.to(request);
          }
        });
    server.start();
  }

  public static Answer json(int code, String body) {
    return request -> {
      var bytes = body.getBytes(StandardCharsets.UTF_8);
      request.getResponseHeaders().set("Content-Type", "application/json");
      request.sendResponseHeaders(code, bytes.length);
      request.getResponseBody().write(bytes);
    };
  }

  /** As the API server words a failure. */
  public static Answer failure(int code, String message) {
    return json(
        code,
        """
        {"kind":"Status","apiVersion":"v1","status":"Failure","message":"%s","code":%d}\
        """
            .formatted(message, code));
  }

  /** No answer, for as long as the server lives. */
  public Answer silence() {
    return request -> {
      try {
        closed.await();
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
      }
    };
  }

  public void answer(Answer next) {
    answer = next;
  }

  /** Method and path of each request so far. */
  public List<String> requests() {
    return requests;
  }

  /** The body of each request so far. */
  public List<String> bodies() {
    return bodies;
  }

  public Config config() {
    return new ConfigBuilder(Config.empty())
        .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
        .build();
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
