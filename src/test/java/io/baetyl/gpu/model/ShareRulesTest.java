package io.baetyl.gpu.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.baetyl.gpu.api.v1alpha1.GpuShareProfileSpec;
import io.baetyl.gpu.api.v1alpha1.Placement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShareRulesTest {
  private static final ShareRules DEFAULTS = ShareRules.of(GpuShareProfileSpec.EMPTY);

  @ParameterizedTest
  @CsvSource({
    "24259, 94, 195", // S1: one RTX 3090
    "7611, 29, 187", // S4: each of two Tesla P4
    "10240, 40, 0",
    "20480, 80, 0",
    "24564, 95, 244", // UR-A10
    "143771, 561, 155", // UR-A13
    "255, 0, 255",
    "0, 0, 0"
  })
  void aCardOffersWholeUnitsAndShowsTheRest(long memoryMiB, int units, long unusableMiB) {
    assertThat(DEFAULTS.unitsOf(memoryMiB)).isEqualTo(units);
    assertThat(DEFAULTS.unusableMiBOf(memoryMiB)).isEqualTo(unusableMiB);
  }

  @Test
  void theReserveIsTakenOffBeforeUnitsAreCounted() {
    var rules = ShareRules.of(spec("256Mi", 80, "500Mi"));
    assertThat(rules.unitsOf(24259)).isEqualTo(92);
    assertThat(rules.unusableMiBOf(24259)).isEqualTo(707);
    assertThat(rules.unitsOf(400)).as("less memory than the reserve").isZero();
  }

  @ParameterizedTest
  @CsvSource({"29, 24", "94, 76", "16, 13", "40, 32", "64, 52", "1, 1"})
  void fourFifthsOfACardRoundedUpAreExclusive(int units, int exclusiveFrom) {
    assertThat(DEFAULTS.exclusiveFrom(units)).isEqualTo(exclusiveFrom);
  }

  @Test
  void aHundredAndOnePercentIsNever() {
    assertThat(ShareRules.of(spec("256Mi", 101, "0Mi")).exclusiveFrom(29))
        .isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void gibibytesAreReadAndOtherSuffixesRefused() {
    assertThat(ShareRules.of(spec("1Gi", 80, "0Mi")).unitMiB()).isEqualTo(1024);
    assertThatThrownBy(() -> ShareRules.of(spec("256M", 80, "0Mi")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("256M")
        .hasMessageContaining("such as 256Mi");
  }

  @Test
  void unitsOfNoMemoryAreRefused() {
    assertThatThrownBy(() -> ShareRules.of(spec("0Mi", 80, "0Mi")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("unit \"0Mi\" is no memory: at least 1Mi");
  }

  private static GpuShareProfileSpec spec(String unit, int percent, String reserved) {
    return new GpuShareProfileSpec(null, unit, Placement.BINPACK, percent, reserved, null);
  }
}
