package io.baetyl.gpu.deviceplugin.sharing;

import io.baetyl.gpu.deviceplugin.allocation.Ledger;
import io.baetyl.gpu.model.ShareRules;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * What is shared, in the units that the ledger counts. The operator changes unit and resource only
 * on a node where no pod holds any by the status, which tells of a pod a moment after it came. So
 * here as well they change only while nothing is in the ledger; the plugin's account in the status
 * says which they are, to everybody and to the next process.
 */
final class CountedCards implements Supplier<Optional<SharedCards>> {
  private final Supplier<Optional<SharedCards>> latest;
  private final Supplier<Optional<ShareRules>> reported;
  private final BooleanSupplier settled;
  private final Ledger ledger;
  private Optional<SharedCards> counted = Optional.empty();

  /**
   * @param latest what is shared by the GpuNode; empty while that is not known
   * @param reported the rules in the units that this plugin said last to count; empty where it has
   *     said nothing
   * @param settled whether the ledger knows what the kubelet has out
   */
  CountedCards(
      Supplier<Optional<SharedCards>> latest,
      Supplier<Optional<ShareRules>> reported,
      BooleanSupplier settled,
      Ledger ledger) {
    this.latest = latest;
    this.reported = reported;
    this.settled = settled;
    this.ledger = ledger;
  }

  /** What is shared; empty while that is not known. */
  @Override
  public synchronized Optional<SharedCards> get() {
    var now = latest.get();
    if (settled.getAsBoolean() && ledger.isEmpty()) {
      counted = now;
    } else if (now.isPresent()) {
      counted =
          counted
              .map(SharedCards::rules)
              .or(reported)
              .map(rules -> in(rules, now.get()))
              .or(() -> now);
    }
    return counted;
  }

  private static SharedCards in(ShareRules rules, SharedCards shared) {
    return shared.rules().countLike(rules) ? shared : new SharedCards(rules, shared.devices());
  }
}
