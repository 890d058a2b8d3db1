package io.baetyl.gpu.operator.resolve;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import java.util.Comparator;

/**
 * One of the device plugins: there is one for each type and way of handing out.
 *
 * @param type of accelerator
 * @param mode Devices or Shared
 */
public record PluginKind(AcceleratorType type, AllocationMode mode)
    implements Comparable<PluginKind> {
  @Override
  public int compareTo(PluginKind other) {
    return Comparator.comparing(PluginKind::type)
        .thenComparing(PluginKind::mode)
        .compare(this, other);
  }
}
