package io.baetyl.gpu.deviceplugin.allocation;

import io.baetyl.gpu.model.ShareRules;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What is shared, in the units that the ledger counts. The operator changes unit and resource only
 * on a node where no pod holds any by the status, which tells of a pod a moment after it came. So
 * here as well they change only while nothing is in the ledger.
 */
public final class CountedCards implements Supplier<Optional<SharedCards>> {
  private final Supplier<Optional<SharedCards>> latest;
  private final Ledger ledger;
  private Optional<SharedCards> counted = Optional.empty();

  /**
   * @param latest what is shared by the GpuNode; empty while that is not known
   */
  public CountedCards(Supplier<Optional<SharedCards>> latest, Ledger ledger) {
    this.latest = latest;
    this.ledger = ledger;
  }

  /** What is shared; empty while that is not known. */
  @Override
  public synchronized Optional<SharedCards> get() {
    var now = latest.get();
    var rules = counted.map(SharedCards::rules);
    boolean mayChange = rules.isEmpty() || ledger.isEmpty();
    if (mayChange || now.filter(shared -> shared.rules().countLike(rules.get())).isPresent()) {
      counted = now;
    } else if (now.isPresent()) {
      counted = now.map(shared -> by(rules.get(), shared));
    }
    return counted;
  }

  private static SharedCards by(ShareRules rules, SharedCards shared) {
    return new SharedCards(rules, shared.devices());
  }
}
