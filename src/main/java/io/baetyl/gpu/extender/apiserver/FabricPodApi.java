package io.baetyl.gpu.extender.apiserver;

import static java.net.HttpURLConnection.HTTP_CONFLICT;
import static java.net.HttpURLConnection.HTTP_NOT_FOUND;

import io.baetyl.gpu.api.v1alpha1.CardDecision;
import io.baetyl.gpu.api.v1alpha1.FieldManagers;
import io.baetyl.gpu.api.v1alpha1.WellKnownAnnotations;
import io.baetyl.gpu.extender.pods.PodFacts;
import io.baetyl.gpu.extender.pods.PodName;
import io.baetyl.gpu.extender.pods.WatchedPod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The API server, by the fabric8 client. */
public final class FabricPodApi implements PodApi {
  private static final int TOO_MANY_REQUESTS = 429;
  private static final PatchContext WAKE =
      new PatchContext.Builder()
          .withPatchType(PatchType.JSON_MERGE)
          .withFieldManager(FieldManagers.EXTENDER)
          .build();

  private static final Duration PATIENCE_TO_WAKE = Duration.ofSeconds(8);

  private final KubernetesClient client;
  private final ExecutorService requests = Executors.newVirtualThreadPerTaskExecutor();

  public FabricPodApi(KubernetesClient client) {
    this.client = client;
  }

  @Override
  public Outcome bind(PodName pod, String node, CardDecision decision, Duration patience) {
    // The API server takes the annotations of a Binding over into the pod, in the write that sets
    // its node; the uid makes it refuse a pod that was made anew under the name.
    var annotations =
        decision.cards().isEmpty()
            ? Map.<String, String>of()
            : Map.of(WellKnownAnnotations.CARDS, decision.format());
    var binding =
        Map.of(
            "apiVersion",
            "v1",
            "kind",
            "Binding",
            "metadata",
            Map.of(
                "namespace", pod.namespace(),
                "name", pod.name(),
                "uid", pod.uid(),
                "annotations", annotations),
            "target",
            Map.of("apiVersion", "v1", "kind", "Node", "name", node));
    return write(
        () ->
            client.raw(
                path(pod) + "/binding?fieldManager=" + FieldManagers.EXTENDER, "POST", binding),
        patience);
  }

  @Override
  public Look look(PodName pod, Duration patience) {
    try {
      var json = within(patience, () -> client.raw(path(pod)));
      if (json == null) {
        return new Look.Gone();
      }
      var facts = PodFacts.read(json);
      return pod.uid().equals(facts.uid()) ? new Look.Found(facts) : new Look.Gone();
    } catch (KubernetesClientException | IOException unclear) {
      return new Look.Unclear(reason(unclear));
    }
  }

  @Override
  public Outcome wake(PodName pod, String stamp) {
    var patch =
        Map.of(
            "metadata",
            Map.of("uid", pod.uid(), "annotations", Map.of(WellKnownAnnotations.RETRY, stamp)));
    return write(
        () ->
            client
                .resources(WatchedPod.class)
                .inNamespace(pod.namespace())
                .withName(pod.name())
                .patch(WAKE, client.getKubernetesSerialization().asJson(patch)),
        PATIENCE_TO_WAKE);
  }

  private Outcome write(Callable<?> request, Duration patience) {
    try {
      within(patience, request);
      return new Outcome.Done();
    } catch (IOException late) {
      return new Outcome.Unclear(reason(late));
    } catch (KubernetesClientException failed) {
      int code = failed.getCode();
      var reason = reason(failed);
      if (code == HTTP_NOT_FOUND) {
        return new Outcome.Gone();
      }
      // A server that is too busy has not begun, so it is as good to try again as after a conflict.
      if (code == HTTP_CONFLICT || code == TOO_MANY_REQUESTS) {
        return new Outcome.Conflict(reason);
      }
      return code >= 400 && code < 500 ? new Outcome.Refused(reason) : new Outcome.Unclear(reason);
    }
  }

  /** The client's own time limit ends with the first byte of an answer, and not with the last. */
  private <T> T within(Duration patience, Callable<T> request) throws IOException {
    var answer = requests.submit(request);
    try {
      return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof KubernetesClientException known) {
        throw known;
      }
      throw new IOException(failed.getCause());
    } catch (TimeoutException late) {
      throw new IOException("it had %.1f s".formatted(patience.toMillis() / 1000.0), late);
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      throw new IOException("it was not waited for", stopping);
    } finally {
      answer.cancel(true);
    }
  }

  private static String reason(Exception failed) {
    return failed instanceof KubernetesClientException answer
            && answer.getStatus() != null
            && answer.getStatus().getMessage() != null
        ? answer.getStatus().getMessage()
        : "the API server does not answer: " + failed.getMessage();
  }

  private static String path(PodName pod) {
    return "/api/v1/namespaces/" + encoded(pod.namespace()) + "/pods/" + encoded(pod.name());
  }

  private static String encoded(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8);
  }
}
