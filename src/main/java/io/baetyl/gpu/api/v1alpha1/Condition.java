package io.baetyl.gpu.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Optional;

/**
 * A condition as in {@code metav1.Condition}.
 *
 * @param type one of {@link ConditionType}
 * @param status {@code True}, {@code False} or {@code Unknown}
 * @param reason a word in CamelCase for programs
 * @param message a sentence for people: what is wrong and what to do
 * @param lastTransitionTime when the status last changed, RFC 3339 in whole seconds
 * @param observedGeneration the generation of the spec that this is about
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Condition(
    String type,
    String status,
    String reason,
    String message,
    String lastTransitionTime,
    Long observedGeneration) {
  public static final String TRUE = "True";
  public static final String FALSE = "False";
  public static final String UNKNOWN = "Unknown";

  @JsonIgnore
  public boolean isTrue() {
    return TRUE.equals(status);
  }

  /**
   * This condition with the transition time of an earlier one of its type, unless the status has
   * changed since.
   */
  public Condition since(List<Condition> earlier) {
    return find(earlier, type)
        .filter(before -> before.status().equals(status))
        .map(
            before ->
                new Condition(
                    type, status, reason, message, before.lastTransitionTime(), observedGeneration))
        .orElse(this);
  }

  /** The condition of a type. */
  public static Optional<Condition> find(List<Condition> conditions, ConditionType type) {
    return find(conditions, type.value());
  }

  private static Optional<Condition> find(List<Condition> conditions, String type) {
    return conditions.stream().filter(condition -> condition.type().equals(type)).findFirst();
  }
}
