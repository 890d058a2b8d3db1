package io.baetyl.gpu.metrics;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How often something is done, in whole seconds: 1 to 3600. */
final class SecondsConverter implements ITypeConverter<Integer> {
  private static final int MOST = 3600;

  @Override
  public Integer convert(String value) {
    if (value.matches("\\d{1,4}")) {
      int seconds = Integer.parseInt(value);
      if (seconds >= 1 && seconds <= MOST) {
        return seconds;
      }
    }
    throw new TypeConversionException(
        "'" + value + "' is no number of seconds: give a whole number from 1 to " + MOST);
  }
}
