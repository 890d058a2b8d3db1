package io.baetyl.gpu.extender.watching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import io.baetyl.gpu.extender.Scheduler;
import io.baetyl.gpu.extender.apiserver.ExtenderClient;
import io.baetyl.gpu.extender.apiserver.FakeApiServer;
import io.baetyl.gpu.extender.pods.Pods;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whether the picture can be trusted, against an API server that fails in various ways. */
class WatchesIT {
  private final FakeApiServer server = new FakeApiServer();
  private final KubernetesClient client = ExtenderClient.create(server.config());
  private final Scheduler scheduler = new Scheduler();
  private final Watches watches =
      new Watches(client, scheduler.picture, scheduler.waiting, scheduler.clock);
  private final CountDownLatch watching = new CountDownLatch(1);

  @AfterEach
  void stop() {
    watching.countDown();
    watches.close();
    client.close();
    server.close();
  }

  @Test
  void untilAllIsListedItSaysWhatIsMissingAndWhy() {
    server.answer(
        request -> {
          if (request.getRequestURI().getPath().equals("/api/v1/pods")) {
            FakeApiServer.failure(403, "pods is forbidden").to(request);
          } else {
            listAndWatch(request);
          }
        });
    watches.start();
    await()
        .untilAsserted(
            () ->
                assertThat(watches.trouble())
                    .contains("the pods are still being loaded (pods is forbidden)"));
    server.answer(this::listAndWatch);
    await().untilAsserted(() -> assertThat(watches.trouble()).isEmpty());
    assertThat(scheduler.picture.pod("uid-listed")).isNotNull();
  }

  @Test
  void aWatchThatIsAwayForLongIsTroubleUntilItIsBack() {
    server.answer(this::listAndWatch);
    watches.start();
    await()
        .untilAsserted(
            () -> {
              assertThat(watches.trouble()).isEmpty();
              scheduler.clock.pass(Watches.TOLERATED_GAP.plusSeconds(1));
              assertThat(watches.trouble()).isEmpty();
            });
    server.answer(FakeApiServer.failure(503, "shutting down"));
    watching.countDown();
    await()
        .untilAsserted(
            () -> {
              scheduler.clock.pass(Watches.TOLERATED_GAP.plusSeconds(1));
              assertThat(watches.trouble())
                  .hasValueSatisfying(why -> assertThat(why).startsWith("the watch of "));
            });
    server.answer(this::listAndHold);
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(watches.trouble()).isEmpty());
  }

  /** Watches last until the latch opens. */
  private void listAndWatch(HttpExchange request) throws IOException {
    if (isWebSocket(request)) {
      request.sendResponseHeaders(200, -1);
    } else if (isWatch(request)) {
      bookmark(request);
      try {
        watching.await();
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
      }
    } else {
      list(request);
    }
  }

  /** Watches last as long as the server. */
  private void listAndHold(HttpExchange request) throws IOException {
    if (isWebSocket(request)) {
      request.sendResponseHeaders(200, -1);
    } else if (isWatch(request)) {
      bookmark(request);
      server.silence().to(request);
    } else {
      list(request);
    }
  }

  /** A watch without web sockets counts for the client from its first event on. */
  private static void bookmark(HttpExchange request) throws IOException {
    request.sendResponseHeaders(200, 0);
    request
        .getResponseBody()
        .write(
            """
            {"type":"BOOKMARK","object":{%s,"metadata":{"resourceVersion":"2"}}}
            """
                .formatted(kind(request, ""))
                .getBytes(StandardCharsets.UTF_8));
    request.getResponseBody().flush();
  }

  /** The client tries these first, and is content without. */
  private static boolean isWebSocket(HttpExchange request) {
    return "websocket".equalsIgnoreCase(request.getRequestHeaders().getFirst("Upgrade"));
  }

  private static boolean isWatch(HttpExchange request) {
    return String.valueOf(request.getRequestURI().getQuery()).contains("watch=true");
  }

  private static void list(HttpExchange request) throws IOException {
    var items =
        request.getRequestURI().getPath().endsWith("/pods") ? Pods.json("listed", 8, 0) : "";
    FakeApiServer.json(
            200,
            "{%s,\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[%s]}"
                .formatted(kind(request, "List"), items))
        .to(request);
  }

  private static String kind(HttpExchange request, String suffix) {
    var path = request.getRequestURI().getPath();
    if (path.endsWith("/pods")) {
      return "\"apiVersion\":\"v1\",\"kind\":\"Pod%s\"".formatted(suffix);
    }
    return "\"apiVersion\":\"gpu.baetyl.io/v1alpha1\",\"kind\":\"GpuNode%s\"".formatted(suffix);
  }
}
