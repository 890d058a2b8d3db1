package io.baetyl.gpu.operator.config;

import io.smallrye.config.SmallRyeConfigBuilder;
import java.util.HashMap;
import java.util.Map;

/** The settings as the operator reads them. */
public final class Settings {
  private Settings() {}

  /**
   * @param given name of the property without its prefix → value; the others have their defaults
   */
  public static GpuSettings of(Map<String, String> given) {
    var properties = new HashMap<>(Map.of("gpu.namespace", "kube-system"));
    given.forEach((name, value) -> properties.put("gpu." + name, value));
    return new SmallRyeConfigBuilder()
        .withMapping(GpuSettings.class)
        .addDefaultInterceptors()
        .withDefaultValues(properties)
        .build()
        .getConfigMapping(GpuSettings.class);
  }
}
