package io.baetyl.gpu.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MebiBytesTest {

  @ParameterizedTest
  @CsvSource({
    "0Mi, 0",
    "256Mi, 256",
    "1Gi, 1024",
    "16Gi, 16384",
    "000000000007Mi, 7",
    "2097151Gi, 2147482624"
  })
  void wholeMiAndGiAreRead(String quantity, int mebiBytes) {
    assertThat(MebiBytes.parse(quantity)).isEqualTo(mebiBytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "256", "256M", "256Ki", "1.5Gi", "-1Mi", " 1Gi", "Mi", "1Gi\n"})
  void anythingElseIsRefusedWithAnExample(String quantity) {
    assertThatThrownBy(() -> MebiBytes.parse(quantity))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("\"" + quantity + "\" is not a whole number of Mi or Gi, such as 256Mi");
  }

  @ParameterizedTest
  @ValueSource(strings = {"2097152Gi", "999999999Gi", "2147482625Mi", "99999999999999999999Mi"})
  void moreThanCanBeCountedIsRefusedWithTheMost(String quantity) {
    assertThatThrownBy(() -> MebiBytes.parse(quantity))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("\"" + quantity + "\" is too much: at most 2097151Gi");
  }
}
