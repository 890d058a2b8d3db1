package io.baetyl.gpu.model;

import io.baetyl.gpu.api.v1alpha1.Device;
import java.util.Optional;

/**
 * The identity of one unit of one card, as the kubelet knows it: {@code <card>:<number>}. The card
 * is part of it, so whoever holds the unit is known to be on the card. With the 40 characters of an
 * NVIDIA UUID it stays below the 63 that the device plugin API allows.
 *
 * @param card the {@link Device#id}
 * @param number from 0 to one less than the card's units
 */
public record UnitId(String card, int number) {

  /** The id as the kubelet knows it. */
  public String format() {
    return card + ":" + number;
  }

  /** The unit of an id; empty where the id is none of ours. */
  public static Optional<UnitId> parse(String id) {
    int separator = id.lastIndexOf(':');
    if (separator <= 0) {
      return Optional.empty();
    }
    try {
      int number = Integer.parseInt(id, separator + 1, id.length(), 10);
      return number < 0
          ? Optional.empty()
          : Optional.of(new UnitId(id.substring(0, separator), number));
    } catch (NumberFormatException notOurs) {
      return Optional.empty();
    }
  }
}
