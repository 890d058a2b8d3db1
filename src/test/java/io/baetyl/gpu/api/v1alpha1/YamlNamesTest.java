package io.baetyl.gpu.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class YamlNamesTest {

  static Stream<Class<? extends Enum<?>>> enums() {
    return Stream.of(
        AcceleratorType.class,
        AllocationMode.class,
        AllocationState.class,
        ComponentState.class,
        Enforcement.class,
        Health.class,
        Monitoring.class,
        Occupancy.class,
        Placement.class,
        PluginState.class);
  }

  @ParameterizedTest
  @MethodSource("enums")
  void everyValueIsReadByTheNameItIsWrittenWithAndAnyOtherIsAbsent(Class<? extends Enum<?>> type)
      throws Exception {
    var json = new ObjectMapper();

    for (var value : type.getEnumConstants()) {
      assertThat((Object) json.readValue(json.writeValueAsString(value), type)).isEqualTo(value);
      assertThat(json.writeValueAsString(value)).isEqualTo("\"" + value + "\"");
    }
    assertThat((Object) json.readValue("\"Superposed\"", type)).isNull();
  }
}
