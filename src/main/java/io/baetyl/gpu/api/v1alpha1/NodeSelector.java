package io.baetyl.gpu.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Map;

/**
 * Selects nodes by their labels.
 *
 * @param matchLabels labels that a node must have, all of them; empty: every node
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record NodeSelector(Map<String, String> matchLabels) {
  public NodeSelector {
    matchLabels = matchLabels == null ? Map.of() : Map.copyOf(matchLabels);
  }

  public boolean matches(Map<String, String> labels) {
    return labels.entrySet().containsAll(matchLabels.entrySet());
  }
}
