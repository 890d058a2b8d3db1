package io.baetyl.gpu.operator.components;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Map;

/**
 * What the operator could not make as it is to be, each with the reason in a sentence.
 *
 * @param ofComponents the name of a component → why it is not up to date
 * @param ofNodes the name of a node → why it does not have the labels that it is to have
 */
public record Troubles(Map<String, String> ofComponents, Map<String, String> ofNodes) {
  public static final Troubles NONE = new Troubles(Map.of(), Map.of());

  boolean isEmpty() {
    return ofComponents.isEmpty() && ofNodes.isEmpty();
  }

  /**
   * Whether the API server has refused this one request, such as for a right that is missing, so
   * that the next one may fare better. It has not where it is away or asks for patience.
   */
  static boolean isRefusal(KubernetesClientException failed) {
    int code = failed.getCode();
    return code >= 400 && code != 429 && code != 503 && code != 504;
  }

  /** The API server's own words, where it has said some. */
  static String reason(KubernetesClientException failed) {
    var status = failed.getStatus();
    return status == null || status.getMessage() == null
        ? String.valueOf(failed.getMessage())
        : status.getMessage();
  }
}
