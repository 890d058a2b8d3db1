package io.baetyl.gpu.deviceplugin.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileSpec;
import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.api.v1alpha1.Sharing;
import io.baetyl.gpu.deviceplugin.allocation.Given;
import io.baetyl.gpu.model.ShareRules;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SharedCardsTest {
  private static final AcceleratorType NVIDIA = AcceleratorType.NVIDIA;

  @Test
  void unitsAreThoseOfTheProfileInForceAndNotOfTheStatus() {
    var rules =
        ShareRules.of(new GpuShareProfileSpec("example.com/gpu", "1Gi", null, null, "500Mi", null));

    // As the metrics agent wrote it by units of 256 MiB and without a reserve.
    var shared = new SharedCards(rules, List.of(card(7611L, 187L, 29)));

    assertThat(shared.devices())
        .singleElement()
        .satisfies(
            card -> {
              assertThat(card.units()).isEqualTo(6);
              assertThat(card.unusableMiB()).isEqualTo(1467);
              assertThat(card.model()).isEqualTo("Tesla P4");
              assertThat(card.health()).isEqualTo(Health.UNHEALTHY);
              assertThat(card.healthReason()).isEqualTo("XID 79");
            });
  }

  @Test
  void aCardWhoseMemoryIsNotKnownHasNoUnits() {
    var shared = new SharedCards(Given.RULES, List.of(card(null, null, 29)));

    assertThat(SharedCards.unitsOf(shared.devices().getFirst())).isZero();
  }

  /** The node is to have NVIDIA cards, and has chips of another vendor with memory of theirs. */
  @Test
  void devicesOfAnotherTypeAreNotShared() {
    var cards = List.of(card(7611L, null, null));

    assertThat(SharedCards.in(sharing(AcceleratorType.ASCEND, cards), NVIDIA, List.of()))
        .hasValueSatisfying(shared -> assertThat(shared.devices()).isEmpty());
    assertThat(SharedCards.in(sharing(NVIDIA, cards), NVIDIA, List.of()))
        .hasValueSatisfying(shared -> assertThat(shared.devices()).hasSize(1));
  }

  private static GpuNodeStatus sharing(AcceleratorType detected, List<Device> devices) {
    return new GpuNodeStatus(
        null,
        null,
        NVIDIA,
        AllocationMode.SHARED,
        "default",
        Sharing.of(GpuShareProfileSpec.EMPTY),
        null,
        detected,
        devices,
        null,
        null,
        null,
        null);
  }

  private static Device card(Long memoryMiB, Long unusableMiB, Integer units) {
    return new Device(
        "GPU-a",
        0,
        "/dev/nvidia0",
        "Tesla P4",
        memoryMiB,
        unusableMiB,
        units,
        Health.UNHEALTHY,
        "XID 79");
  }
}
