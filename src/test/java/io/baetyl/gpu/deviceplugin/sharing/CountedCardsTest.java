package io.baetyl.gpu.deviceplugin.sharing;

import static io.baetyl.gpu.deviceplugin.allocation.Given.A;
import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.GpuShareProfileSpec;
import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.api.v1alpha1.Placement;
import io.baetyl.gpu.deviceplugin.allocation.Admission;
import io.baetyl.gpu.deviceplugin.allocation.Given;
import io.baetyl.gpu.deviceplugin.allocation.Ledger;
import io.baetyl.gpu.model.ShareRules;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CountedCardsTest {
  private final Ledger ledger = new Ledger();
  private Optional<SharedCards> latest = Optional.of(halves(null));
  private Optional<ShareRules> reported = Optional.empty();
  private boolean settled = true;
  private final CountedCards cards = newProcess();

  private CountedCards newProcess() {
    return new CountedCards(() -> latest, () -> reported, () -> settled, ledger);
  }

  private static SharedCards halves(Placement placement) {
    return by(new GpuShareProfileSpec(null, "512Mi", placement, null, null, null));
  }

  private static SharedCards by(GpuShareProfileSpec spec) {
    return new SharedCards(ShareRules.of(spec), List.of(Given.card(A, 16)));
  }

  private void hold() {
    ledger.take(new Admission(Given.pod("p", Given.app("main", 6)), "main"), Given.units(A, 0, 6));
  }

  @Test
  void otherUnitsWaitForTheLedgerToBeEmpty() {
    assertThat(cards.get()).contains(halves(null));
    hold();

    latest = Optional.of(by(GpuShareProfileSpec.EMPTY));
    assertThat(cards.get()).contains(halves(null));

    ledger.reconcile(ledger.listingBegins(), List.of(), List.of(), uid -> false);
    assertThat(cards.get()).isEqualTo(latest);
  }

  @Test
  void aNewProcessGoesOnCountingAsTheOneBefore() {
    reported = Optional.of(halves(null).rules());
    latest = Optional.of(by(GpuShareProfileSpec.EMPTY));
    settled = false;
    var anew = newProcess();
    assertThat(anew.get()).as("the ledger is not known yet").contains(halves(null));

    hold();
    settled = true;
    assertThat(anew.get()).contains(halves(null));

    ledger.reconcile(ledger.listingBegins(), List.of(), List.of(), uid -> false);
    assertThat(anew.get()).isEqualTo(latest);
  }

  @Test
  void soDoRulesThatAreGone() {
    cards.get();
    hold();

    latest = Optional.empty();

    assertThat(cards.get()).contains(halves(null));
  }

  @Test
  void whatDoesNotChangeTheUnitsIsFollowedAtOnce() {
    cards.get();
    hold();

    latest = Optional.of(halves(Placement.SPREAD));

    assertThat(cards.get()).isEqualTo(latest);
  }

  @Test
  void theHealthOfACardIsFollowedAtOnce() {
    cards.get();
    hold();

    latest =
        Optional.of(
            new SharedCards(
                ShareRules.of(GpuShareProfileSpec.EMPTY),
                List.of(Given.card(A, 16, Health.UNHEALTHY))));

    assertThat(cards.get())
        .hasValueSatisfying(
            shared -> {
              assertThat(shared.rules().unitMiB()).isEqualTo(512);
              assertThat(shared.devices().getFirst().units()).isEqualTo(8);
              assertThat(shared.devices().getFirst().canBeHandedOut()).isFalse();
            });
  }
}
