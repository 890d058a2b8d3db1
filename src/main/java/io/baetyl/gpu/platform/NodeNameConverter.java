package io.baetyl.gpu.platform;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The name of a Kubernetes node on the command line. */
public final class NodeNameConverter implements ITypeConverter<String> {

  @Override
  public String convert(String value) {
    if (value.isBlank()) {
      throw new TypeConversionException(
          "it is empty: give the name that `kubectl get nodes` shows, by NODE_NAME or here");
    }
    return value;
  }
}
