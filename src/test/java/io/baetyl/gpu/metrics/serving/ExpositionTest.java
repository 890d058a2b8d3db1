package io.baetyl.gpu.metrics.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpositionTest {

  private static String text(Exposition page) {
    return new String(page.bytes(), StandardCharsets.UTF_8);
  }

  @Test
  void aFamilyHasHelpAndTypeBeforeItsSamples() {
    var page = new Exposition();

    page.gauge("family", "What it says.");
    page.sample(Exposition.labels("one", "1", "two", "2"), 7);

    assertThat(text(page))
        .isEqualTo(
            """
            # HELP family What it says.
            # TYPE family gauge
            family{one="1",two="2"} 7
            """);
  }

  @Test
  void labelValuesAreEscaped() {
    var page = new Exposition();
    page.gauge("family", "What it says.");

    page.sample(Exposition.labels("value", "a\\b\"c\nd é"), 0);

    assertThat(text(page)).endsWith("family{value=\"a\\\\b\\\"c\\nd é\"} 0\n");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "-0.0, 0",
    "9, 9",
    "10, 10",
    "-42, -42",
    "1234567890123, 1234567890123",
    "9007199254740991, 9007199254740991",
    "0.13, 0.13",
    "15.405, 15.405",
    "1e20, 1.0E20",
    "NaN, NaN"
  })
  void numbersAreWhatPrometheusReads(double value, String written) {
    var page = new Exposition();
    page.gauge("family", "What it says.");

    page.sample(Exposition.labels("a", "b"), value);

    assertThat(text(page)).endsWith("} " + written + "\n");
  }

  @Test
  void itGrowsAsNeeded() {
    var page = new Exposition();
    var labels = Exposition.labels("long", "x".repeat(300));

    page.gauge("family", "What it says.");
    for (int i = 0; i < 1000; i++) {
      page.sample(labels, i);
    }

    assertThat(text(page)).endsWith("} 999\n").hasSizeGreaterThan(300_000);
  }
}
