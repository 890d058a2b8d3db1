package io.baetyl.gpu.operator.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfile;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Whoever owned fields of a spec and then applies {@code spec: {}} is left with {@code spec: null}
 * by server-side apply.
 */
class EmptySpecIT {
  private static final String NAME = "empty-spec";
  private static ControlPlane controlPlane;

  @BeforeAll
  static void start() {
    controlPlane = ControlPlane.start();
  }

  @AfterAll
  static void stop() {
    controlPlane.close();
  }

  @Test
  void aProfileGoesBackToTheDefaults() {
    apply(GpuShareProfile.class, NAME, Map.of("placement", "Spread"));

    apply(GpuShareProfile.class, NAME, Map.of());

    assertThat(read(GpuShareProfile.class).specOrEmpty().placement()).isNull();
  }

  @Test
  void aGpuNodeGoesBackToTheDefaults() {
    apply(GpuNode.class, NAME, Map.of("allocation", "Devices"));

    apply(GpuNode.class, NAME, Map.of());

    assertThat(read(GpuNode.class).specOrEmpty().allocation()).isNull();
  }

  @ParameterizedTest
  @CsvSource({"unit, 512Mi", "resourceName, example.com/memory"})
  void whatIsFixedStaysFixed(String field, String value) {
    var name = field.toLowerCase(Locale.ROOT);
    apply(GpuShareProfile.class, name, Map.of(field, value));

    assertThatThrownBy(() -> apply(GpuShareProfile.class, name, Map.of()))
        .hasMessageContaining(field + " cannot be changed");
  }

  private static void apply(
      Class<? extends CustomResource<?, ?>> type, String name, Map<String, String> spec) {
    // Of the product's types, an empty spec is not sent.
    var object = new GenericKubernetesResource();
    object.setApiVersion(HasMetadata.getApiVersion(type));
    object.setKind(HasMetadata.getKind(type));
    object.setMetadata(new ObjectMetaBuilder().withName(name).build());
    object.setAdditionalProperty("spec", spec);
    controlPlane.admin().resource(object).serverSideApply();
  }

  private static <T extends CustomResource<?, ?>> T read(Class<T> type) {
    return controlPlane.admin().resources(type).withName(NAME).get();
  }
}
