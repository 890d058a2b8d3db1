package io.baetyl.gpu.extender.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.CardDecision;
import io.baetyl.gpu.api.v1alpha1.FieldManagers;
import io.baetyl.gpu.extender.apiserver.PodApi.Look;
import io.baetyl.gpu.extender.apiserver.PodApi.Outcome;
import io.baetyl.gpu.extender.pods.PodName;
import io.baetyl.gpu.extender.pods.Pods;
import io.baetyl.gpu.extender.wire.Json;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is made of each answer of the API server, and that nothing is asked twice. */
class FabricPodApiIT {
  private static final PodName POD = new PodName("default", "a", "uid-a");

  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final FakeApiServer server = new FakeApiServer();
  private final KubernetesClient client = ExtenderClient.create(server.config());
  private final FabricPodApi api = new FabricPodApi(client);

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  @Test
  void nodeAndCardsAreWrittenAtOnce() throws Exception {
    server.answer(FakeApiServer.json(201, "{\"kind\":\"Status\",\"status\":\"Success\"}"));
    assertThat(bind()).isEqualTo(new Outcome.Done());
    assertThat(server.requests())
        .containsExactly(
            "POST /api/v1/namespaces/default/pods/a/binding?fieldManager="
                + FieldManagers.EXTENDER);
    assertThat(Json.MAPPER.readTree(server.bodies().getFirst()))
        .isEqualTo(
            Json.MAPPER.readTree(
                """
                {"apiVersion":"v1","kind":"Binding",
                 "metadata":{"namespace":"default","name":"a","uid":"uid-a",
                             "annotations":{"gpu.baetyl.io/cards":"uid-a:main=n-0"}},
                 "target":{"apiVersion":"v1","kind":"Node","name":"n"}}\
                """));
  }

  @ParameterizedTest
  @CsvSource({
    "400,Refused",
    "403,Refused",
    "404,Gone",
    "409,Conflict",
    "422,Refused",
    "429,Conflict",
    "500,Unclear",
    "503,Unclear",
    "504,Unclear"
  })
  void aFailureIsTakenForWhatItIs(int code, String outcome) {
    var failure = FakeApiServer.failure(code, "because");
    var pod = FakeApiServer.json(200, Pods.json("a", 8, 0));
    server.answer(
        request -> (request.getRequestMethod().equals("GET") ? pod : failure).to(request));
    for (var failed : List.of(bind(), api.wake(POD, "now"))) {
      assertThat(failed.getClass().getSimpleName()).isEqualTo(outcome);
      assertThat(failed.toString()).contains(code == 404 ? "Gone" : "because");
    }
    // A write that the client itself repeats may land after its caller has given up on it.
    assertThat(server.requests()).filteredOn(request -> !request.startsWith("GET")).hasSize(2);
  }

  @Test
  void aServerThatHangsUpLeavesItUnclear() {
    server.answer(request -> {});
    assertThat(bind()).isInstanceOf(Outcome.Unclear.class);
    assertThat(server.requests()).hasSize(1);
  }

  @Test
  void aServerThatIsSilentIsNotWaitedForForEver() {
    server.answer(server.silence());
    assertInTime();
    server.answer(
        request -> {
          request.sendResponseHeaders(200, 100);
          request.getResponseBody().flush();
          server.silence().to(request);
        });
    assertInTime();
  }

  private void assertInTime() {
    long began = System.nanoTime();
    assertThat(bind()).isInstanceOf(Outcome.Unclear.class);
    assertThat(look(POD)).isInstanceOf(Look.Unclear.class);
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(PATIENCE.multipliedBy(3));
  }

  @Test
  void aPodIsWokenByOneAnnotation() {
    server.answer(FakeApiServer.json(200, Pods.json("a", 8, 0)));
    assertThat(api.wake(POD, "now")).isEqualTo(new Outcome.Done());
    assertThat(server.requests())
        .endsWith("PATCH /api/v1/namespaces/default/pods/a?fieldManager=" + FieldManagers.EXTENDER);
    assertThat(server.bodies().getLast())
        .contains("\"gpu.baetyl.io/retry\":\"now\"", "\"uid\":\"uid-a\"");
  }

  @Test
  void aPodIsFoundByNameAndUid() {
    server.answer(FakeApiServer.json(200, Pods.json("a", 8, 0)));
    assertThat(look(POD)).isEqualTo(new Look.Found(Pods.waiting("a", 8)));
    assertThat(look(new PodName("default", "a", "another"))).isEqualTo(new Look.Gone());
    server.answer(FakeApiServer.failure(404, "not found"));
    assertThat(look(POD)).isEqualTo(new Look.Gone());
  }

  @Test
  void aLookThatFailsShowsNothing() {
    server.answer(FakeApiServer.failure(500, "because"));
    assertThat(look(POD)).isEqualTo(new Look.Unclear("because"));
    server.answer(FakeApiServer.json(200, "no JSON"));
    assertThat(look(POD)).isInstanceOf(Look.Unclear.class);
    server.answer(FakeApiServer.failure(403, "forbidden"));
    assertThat(look(POD)).isEqualTo(new Look.Unclear("forbidden"));
  }

  private Outcome bind() {
    return api.bind(POD, "n", new CardDecision("uid-a", Map.of("main", "n-0")), PATIENCE);
  }

  private Look look(PodName pod) {
    return api.look(pod, PATIENCE);
  }
}
