package io.baetyl.gpu.extender.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.baetyl.gpu.extender.Scheduler;
import io.baetyl.gpu.extender.binding.Bind;
import io.baetyl.gpu.extender.counting.Counters.Counter;
import io.baetyl.gpu.extender.filtering.Filter;
import io.baetyl.gpu.extender.filtering.Prioritize;
import io.baetyl.gpu.extender.picture.Nodes;
import io.baetyl.gpu.extender.pods.Pods;
import io.baetyl.gpu.extender.preemption.Preempt;
import io.baetyl.gpu.extender.wire.Json;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExtenderServerIT {
  @TempDir Path folder;

  private final Scheduler scheduler = new Scheduler();
  private final Certificates authority = new Certificates();
  private final AtomicReference<Optional<String>> trouble = new AtomicReference<>(Optional.empty());
  private TlsFiles tls;
  private ExtenderServer server;

  @BeforeEach
  void start() throws Exception {
    authority.writeServer(folder, authority.issue("extender"));
    tls = new TlsFiles(folder);
    server =
        new ExtenderServer(
            new InetSocketAddress("127.0.0.1", 0), tls.context(), trouble::get, scheduler.counters);
    server.serve(
        "/filter", Counter.FILTER_CALLS, () -> new Filter(scheduler.picture, scheduler.waiting));
    server.serve("/prioritize", Counter.PRIORITIZE_CALLS, () -> new Prioritize(scheduler.picture));
    server.serve(
        "/bind", Counter.BIND_CALLS, () -> new Bind(scheduler.binding, scheduler.counters));
    server.serve("/preempt", Counter.PREEMPT_CALLS, () -> new Preempt(scheduler.picture));
    server.start();
    scheduler.picture.put(Nodes.sharing("n", 16));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void filterAndBindOverTls() throws Exception {
    scheduler.create(Pods.waiting("a", 8));
    var client = client(authority.client(authority.issue("kube-scheduler")));
    assertThat(call(client, "/filter", filterArgs("a", 8)).body())
        .isEqualTo("{\"NodeNames\":[\"n\"],\"FailedNodes\":{},\"FailedAndUnresolvableNodes\":{}}");
    assertThat(call(client, "/bind", bindArgs("a")).body()).isEqualTo("{}");
    assertThat(scheduler.api.pod("uid-a").node()).isEqualTo("n");
  }

  @Test
  void aClientWithoutACertificateOfOursIsTurnedAway() {
    var stranger = new Certificates().issue("stranger");
    assertThatThrownBy(() -> call(client(authority.client(null)), "/filter", "{}"))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> call(client(authority.client(stranger)), "/filter", "{}"))
        .isInstanceOf(IOException.class);
  }

  @Test
  void renewedCertificatesAreTakenOver() throws Exception {
    var next = new Certificates();
    next.writeServer(folder, next.issue("extender"));
    tls.reload();
    assertThat(
            call(client(next.client(next.issue("kube-scheduler"))), "/filter", filterArgs("a", 8))
                .statusCode())
        .isEqualTo(200);
    assertThatThrownBy(
            () -> call(client(authority.client(authority.issue("old"))), "/filter", "{}"))
        .isInstanceOf(SSLException.class);
  }

  @Test
  void filesThatCannotBeReadLeaveTheOldOnesInForce() throws Exception {
    java.nio.file.Files.writeString(folder.resolve("tls.crt"), "half a file");
    tls.reload();
    var client = client(authority.client(authority.issue("kube-scheduler")));
    assertThat(call(client, "/filter", filterArgs("a", 8)).statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "7",
        "{",
        "{}",
        "{\"Pod\":null,\"NodeNames\":null}",
        "{\"Pod\":{},\"NodeNames\":[\"n\"]}",
        "{\"Pod\":{\"metadata\":{\"uid\":\"u\"}},\"NodeNames\":[]}",
        "{\"Pod\":7,\"NodeNames\":[]}",
        "{\"NodeNames\":[\"n\"]}",
        "{\"Pod\":{\"spec\":7}}",
        "{\"Pod\":{\"metadata\":{\"name\":\"a\",\"uid\":\"u\"}},\"NodeNames\":[null]}",
        "{\"Pod\":{\"metadata\":{\"name\":\"a\",\"uid\":\"u\"}},\"NodeNames\":[[\"n\"]]}",
        "{\"Pod\":{\"metadata\":{\"name\":\"a\",\"uid\":\"u\"},\"spec\":{\"containers\":[null]}}}"
      })
  void p9AMalformedCallGetsAnAnswer(String body) throws Exception {
    var client = client(authority.client(authority.issue("kube-scheduler")));
    for (var path : new String[] {"/filter", "/prioritize", "/bind", "/preempt"}) {
      var answer = call(client, path, body);
      assertThat(answer.statusCode()).as(path).isEqualTo(200);
      Json.MAPPER.readTree(answer.body());
    }
    assertThat(call(client, "/filter", body).body()).contains("\"Error\":\"the call ");
    assertThat(call(client, "/bind", body).body()).contains("\"Error\":\"the call ");
  }

  @ParameterizedTest
  @CsvSource({"GET,/filter,405", "POST,/,404", "POST,/filter/more,404", "POST,/filtered,404"})
  void otherCallsAreRefused(String method, String path, int code) throws Exception {
    var client = client(authority.client(authority.issue("kube-scheduler")));
    var request =
        HttpRequest.newBuilder(uri(path)).method(method, BodyPublishers.ofString("{}")).build();
    assertThat(client.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(code);
  }

  @Test
  void p5AndP6WhileItIsNotReadyEveryCallSaysSo() throws Exception {
    trouble.set(Optional.of("the pods are still being loaded"));
    var client = client(authority.client(authority.issue("kube-scheduler")));
    var error =
        "{\"Error\":\"the scheduler extender is not ready: the pods are still being loaded\"}";
    assertThat(call(client, "/filter", filterArgs("a", 8)).body()).isEqualTo(error);
    assertThat(call(client, "/bind", bindArgs("a")).body()).isEqualTo(error);
    assertThat(call(client, "/preempt", "{}").body()).isEqualTo("{\"NodeNameToMetaVictims\":{}}");
  }

  @Test
  void aPortThatIsTakenIsNamedWithTheCure() throws Exception {
    var taken = new InetSocketAddress("127.0.0.1", server.port());
    for (var context : Arrays.asList(tls.context(), null)) {
      assertThatThrownBy(
              () -> new ExtenderServer(taken, context, Optional::empty, scheduler.counters))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("Port " + server.port() + " cannot be listened on")
          .hasMessageContaining("Address already in use")
          .hasMessageEndingWith("another port with --port (PORT)");
    }
  }

  @Test
  void stoppingWaitsForTheCallUnderWay() throws Exception {
    scheduler.create(Pods.waiting("a", 8));
    var gate = new CountDownLatch(1);
    scheduler.api.gate(gate);
    var client = client(authority.client(authority.issue("kube-scheduler")));
    var answer =
        client.sendAsync(
            HttpRequest.newBuilder(uri("/bind"))
                .POST(BodyPublishers.ofString(bindArgs("a")))
                .build(),
            BodyHandlers.ofString());
    Awaitility.await().until(() -> !scheduler.picture.reservations().isEmpty());
    var stopping = Thread.ofVirtual().start(server::close);
    // Only then is it known that the call is still under way while the server stops.
    Awaitility.await().until(this::takesNoMoreConnections);
    gate.countDown();
    assertThat(answer.get().body()).isEqualTo("{}");
    assertThat(stopping.join(Duration.ofSeconds(3))).as("and no longer").isTrue();
  }

  private boolean takesNoMoreConnections() throws IOException {
    try (var connection = new Socket("127.0.0.1", server.port())) {
      return !connection.isConnected();
    } catch (ConnectException refused) {
      return true;
    }
  }

  private static String filterArgs(String name, int units) {
    return "{\"Pod\":%s,\"Nodes\":null,\"NodeNames\":[\"n\"]}".formatted(Pods.json(name, units, 0));
  }

  private static String bindArgs(String name) {
    return "{\"PodName\":\"%1$s\",\"PodNamespace\":\"default\",\"PodUID\":\"uid-%1$s\",\"Node\":\"n\"}"
        .formatted(name);
  }

  private static HttpClient client(SSLContext context) {
    return HttpClient.newBuilder().sslContext(context).version(HttpClient.Version.HTTP_1_1).build();
  }

  private HttpResponse<String> call(HttpClient client, String path, String body)
      throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(uri(path)).POST(BodyPublishers.ofString(body)).build(),
        BodyHandlers.ofString());
  }

  private URI uri(String path) {
    return URI.create("https://127.0.0.1:" + server.port() + path);
  }
}
