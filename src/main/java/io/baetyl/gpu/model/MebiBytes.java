package io.baetyl.gpu.model;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Amounts of memory as the resources write them: whole MiB or GiB, such as {@code 256Mi} or {@code
 * 1Gi}.
 */
public final class MebiBytes {
  private static final Pattern QUANTITY = Pattern.compile("(\\d{1,9})(Mi|Gi)");

  private MebiBytes() {}

  /**
   * The number of MiB in a quantity.
   *
   * @throws IllegalArgumentException if it is not a whole number of Mi or Gi; the message says what
   *     would be
   */
  public static int parse(String quantity) {
    Matcher matcher = QUANTITY.matcher(quantity);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "\"" + quantity + "\" is not a whole number of Mi or Gi, such as 256Mi");
    }
    int amount = Integer.parseInt(matcher.group(1));
    return matcher.group(2).equals("Gi") ? Math.multiplyExact(amount, 1024) : amount;
  }
}
