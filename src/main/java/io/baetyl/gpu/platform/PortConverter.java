package io.baetyl.gpu.platform;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A TCP port on the command line: 0, for any free one, to 65535. */
public final class PortConverter implements ITypeConverter<Integer> {
  private static final int LAST = 65535;

  @Override
  public Integer convert(String value) {
    if (value.matches("\\d{1,5}") && Integer.parseInt(value) <= LAST) {
      return Integer.valueOf(value);
    }
    throw new TypeConversionException(
        "'" + value + "' is no TCP port: give a number from 0, for any free one, to " + LAST);
  }
}
