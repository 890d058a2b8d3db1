package io.baetyl.gpu.metrics.serving;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes gauges in Prometheus' text format, version 0.0.4. The samples of a family have to follow
 * it at once, and a label set may occur only once in it.
 */
final class Exposition {
  static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  /** Up to here every whole double is exactly a long. */
  private static final double EXACT = 1L << 53;

  private byte[] bytes = new byte[8192];
  private int length;
  private byte[] name;

  /** Label names and values by turns, escaped once for all samples that have them. */
  static byte[] labels(String... namesAndValues) {
    var text = new StringBuilder("{");
    for (int i = 0; i < namesAndValues.length; i += 2) {
      text.append(i == 0 ? "" : ",").append(namesAndValues[i]).append("=\"");
      escape(namesAndValues[i + 1], text);
      text.append('"');
    }
    return text.append("} ").toString().getBytes(StandardCharsets.UTF_8);
  }

  private static void escape(String value, StringBuilder text) {
    for (int i = 0; i < value.length(); i++) {
      char character = value.charAt(i);
      switch (character) {
        case '\\' -> text.append("\\\\");
        case '"' -> text.append("\\\"");
        case '\n' -> text.append("\\n");
        default -> text.append(character);
      }
    }
  }

  /**
   * Begins a family.
   *
   * @param help a sentence of printable ASCII without backslashes
   */
  void gauge(String family, String help) {
    name = family.getBytes(StandardCharsets.US_ASCII);
    ascii("# HELP ");
    append(name);
    ascii(" ");
    ascii(help);
    ascii("\n# TYPE ");
    append(name);
    ascii(" gauge\n");
  }

  /** A sample of the family that was begun last. */
  void sample(byte[] labels, double value) {
    append(name);
    append(labels);
    if (value == Math.rint(value) && Math.abs(value) < EXACT) {
      number((long) value);
    } else {
      ascii(Double.toString(value));
    }
    ascii("\n");
  }

  private void number(long value) {
    reserve(20);
    if (value < 0) {
      bytes[length++] = '-';
    }
    long rest = Math.abs(value);
    int digits = 1;
    for (long power = 10; power <= rest && digits < 19; power *= 10) {
      digits++;
    }
    for (int i = length + digits - 1; i >= length; i--) {
      bytes[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    length += digits;
  }

  private void ascii(String text) {
    int size = text.length();
    reserve(size);
    for (int i = 0; i < size; i++) {
      bytes[length++] = (byte) text.charAt(i);
    }
  }

  private void append(byte[] more) {
    reserve(more.length);
    System.arraycopy(more, 0, bytes, length, more.length);
    length += more.length;
  }

  private void reserve(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
    }
  }

  /** All that was written. */
  byte[] bytes() {
    return Arrays.copyOf(bytes, length);
  }
}
