package io.baetyl.gpu.deviceplugin.allocation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Units named to the kubelet as preferred, which its Allocate is about to ask for. They tell whom
 * an Allocate is for, and are not offered to anybody else meanwhile. Not thread-safe.
 */
public final class Offers {
  /** The kubelet follows within milliseconds; one that does not has failed the pod. */
  private static final Duration LIFE = Duration.ofSeconds(5);

  private record Offer(Admission admission, Set<String> ids, long madeNanos) {}

  private final List<Offer> offers = new ArrayList<>();

  public void make(Admission admission, Set<String> ids, long nowNanos) {
    offers.removeIf(
        offer ->
            nowNanos - offer.madeNanos() > LIFE.toNanos() || offer.admission().isFor(admission));
    offers.add(new Offer(admission, ids, nowNanos));
  }

  /** Whether a unit is on its way to another container. */
  public boolean toOther(String id, Admission admission, long nowNanos) {
    return offers.stream()
        .anyMatch(
            offer ->
                offer.ids().contains(id)
                    && nowNanos - offer.madeNanos() <= LIFE.toNanos()
                    && !offer.admission().isFor(admission));
  }

  /** For whom exactly these units were offered; the offer is over. */
  public Optional<Admission> accept(Set<String> ids) {
    var accepted = offers.stream().filter(offer -> offer.ids().equals(ids)).findFirst();
    accepted.ifPresent(offers::remove);
    return accepted.map(Offer::admission);
  }
}
