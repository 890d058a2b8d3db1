package io.baetyl.gpu.deviceplugin;

import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A way of handing devices out on the command line. */
final class AllocationConverter implements ITypeConverter<AllocationMode> {
  @Override
  public AllocationMode convert(String value) {
    var mode = AllocationMode.of(value);
    if (mode == null || mode == AllocationMode.NONE) {
      throw new TypeConversionException(
          "'%s' is no way of handing devices out: give %s or %s"
              .formatted(value, AllocationMode.DEVICES, AllocationMode.SHARED));
    }
    return mode;
  }
}
