package io.baetyl.gpu.api.v1alpha1;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Which card each container of a pod is to get. Written as one annotation: {@code <pod
 * uid>:<container>=<device id>[,<container>=<device id>…]}. How much a container gets is not part
 * of it: that comes from the pod's spec alone, so no annotation can claim more than was asked for.
 *
 * @param podUid the pod that this was decided for; one of another UID, copied from elsewhere,
 *     decides nothing
 * @param cards container name → {@link Device#id}, for the containers that ask for units
 */
public record CardDecision(String podUid, Map<String, String> cards) {
  public CardDecision {
    // Container names are DNS labels and device ids hold no comma, so no separator needs an escape.
    cards = new LinkedHashMap<>(cards);
  }

  /** The annotation's value. */
  public String format() {
    return podUid
        + ":"
        + cards.entrySet().stream()
            .map(card -> card.getKey() + "=" + card.getValue())
            .collect(Collectors.joining(","));
  }

  /**
   * The decision in an annotation.
   *
   * @return empty where there is none, where it cannot be read, and where it was made for a pod of
   *     another UID
   */
  public static Optional<CardDecision> parse(String annotation, String podUid) {
    if (annotation == null || !annotation.startsWith(podUid + ":")) {
      return Optional.empty();
    }
    var cards = new LinkedHashMap<String, String>();
    for (var card : annotation.substring(podUid.length() + 1).split(",", -1)) {
      int separator = card.indexOf('=');
      if (separator <= 0 || separator == card.length() - 1) {
        return Optional.empty();
      }
      cards.put(card.substring(0, separator), card.substring(separator + 1));
    }
    return Optional.of(new CardDecision(podUid, cards));
  }
}
