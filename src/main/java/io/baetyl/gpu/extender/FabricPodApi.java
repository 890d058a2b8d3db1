package io.baetyl.gpu.extender;

import static java.net.HttpURLConnection.HTTP_CONFLICT;
import static java.net.HttpURLConnection.HTTP_NOT_FOUND;

import io.baetyl.gpu.api.v1alpha1.CardDecision;
import io.baetyl.gpu.api.v1alpha1.FieldManagers;
import io.baetyl.gpu.api.v1alpha1.WellKnownAnnotations;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** The API server, by the fabric8 client. */
final class FabricPodApi implements PodApi {
  private static final int TOO_MANY_REQUESTS = 429;
  private static final PatchContext WAKE =
      new PatchContext.Builder()
          .withPatchType(PatchType.JSON_MERGE)
          .withFieldManager(FieldManagers.EXTENDER)
          .build();

  private final KubernetesClient client;

  FabricPodApi(KubernetesClient client) {
    this.client = client;
  }

  @Override
  public Outcome bind(PodName pod, String node, CardDecision decision) {
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
                path(pod) + "/binding?fieldManager=" + FieldManagers.EXTENDER, "POST", binding));
  }

  @Override
  public Look look(PodName pod) {
    try {
      var json = client.raw(path(pod));
      if (json == null) {
        return new Look.Gone();
      }
      WatchedPod found = Json.PODS.readValue(json);
      var facts = PodFacts.of(found);
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
                .patch(WAKE, client.getKubernetesSerialization().asJson(patch)));
  }

  private static Outcome write(Runnable request) {
    try {
      request.run();
      return new Outcome.Done();
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
