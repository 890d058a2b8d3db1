package io.baetyl.gpu.operator.gpunode;

import static java.util.stream.Collectors.toUnmodifiableSet;

import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.DeviceSummary;
import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.api.v1alpha1.Summary;
import io.baetyl.gpu.operator.events.ObjectEvents;
import java.util.List;
import java.util.Set;

/**
 * That a card has failed, or has recovered.
 *
 * @param type of the Event
 * @param reason of the Event
 */
record CardEvent(String type, String reason, String message) {

  /**
   * What has become of the cards of a node since its last summary. A card that comes or goes
   * without a fault is no event.
   *
   * @param before null where there was none
   * @param now the cards as they are
   */
  static List<CardEvent> since(Summary before, List<Device> now) {
    var failed = unhealthy(before);
    return now.stream()
        .filter(card -> card.canBeHandedOut() == failed.contains(card.id()))
        .map(card -> card.canBeHandedOut() ? recovered(card) : failed(card))
        .toList();
  }

  private static Set<String> unhealthy(Summary summary) {
    return summary == null
        ? Set.of()
        : summary.devices().stream()
            .filter(card -> card.health() == Health.UNHEALTHY)
            .map(DeviceSummary::id)
            .collect(toUnmodifiableSet());
  }

  private static CardEvent failed(Device card) {
    return new CardEvent(
        ObjectEvents.WARNING,
        "CardUnhealthy",
        "card %s cannot be handed out: %s".formatted(card.id(), card.healthReason()));
  }

  private static CardEvent recovered(Device card) {
    return new CardEvent(
        ObjectEvents.NORMAL,
        "CardRecovered",
        "card %s can be handed out again".formatted(card.id()));
  }
}
