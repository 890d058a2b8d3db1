package io.baetyl.gpu.model;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Amounts of memory as the resources write them: whole MiB or GiB, such as {@code 256Mi} or {@code
 * 1Gi}.
 */
public final class MebiBytes {
  /** Far beyond any card; more does not fit a number of MiB. */
  private static final int MOST_GIB = Integer.MAX_VALUE / 1024;

  /** A long takes them, times 1024. */
  private static final int MOST_DIGITS = 15;

  private static final Pattern QUANTITY = Pattern.compile("0*(\\d+)(Mi|Gi)");

  private MebiBytes() {}

  /**
   * The number of MiB in a quantity.
   *
   * @throws IllegalArgumentException if it is not a whole number of Mi or Gi, or more than
   *     2097151Gi; the message says what would be
   */
  public static int parse(String quantity) {
    Matcher matcher = QUANTITY.matcher(quantity);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "\"" + quantity + "\" is not a whole number of Mi or Gi, such as 256Mi");
    }
    var digits = matcher.group(1);
    long perUnit = matcher.group(2).equals("Gi") ? 1024 : 1;
    if (digits.length() > MOST_DIGITS || Long.parseLong(digits) * perUnit > MOST_GIB * 1024L) {
      throw new IllegalArgumentException(
          "\"" + quantity + "\" is too much: at most " + MOST_GIB + "Gi");
    }
    return Math.toIntExact(Long.parseLong(digits) * perUnit);
  }
}
