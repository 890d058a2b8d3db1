package io.baetyl.gpu.deviceplugin;

import static java.util.stream.Collectors.joining;

import io.baetyl.gpu.accelerator.Vendors;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A known type of accelerator on the command line. */
final class AcceleratorConverter implements ITypeConverter<AcceleratorType> {
  @Override
  public AcceleratorType convert(String value) {
    var type = AcceleratorType.of(value);
    if (!Vendors.types().contains(type)) {
      throw new TypeConversionException(
          "'%s' is no type of accelerator: give one of %s"
              .formatted(
                  value,
                  Vendors.types().stream().map(AcceleratorType::value).collect(joining(", "))));
    }
    return type;
  }
}
