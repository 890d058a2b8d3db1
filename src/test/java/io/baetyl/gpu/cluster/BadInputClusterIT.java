package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What cannot work is refused where it is written, with a sentence that says what to write instead.
 */
@Order(2)
class BadInputClusterIT {

  @BeforeAll
  static void cluster() {
    TestCluster.withDefaultNodes();
  }

  static Stream<Arguments> badSpecs() {
    return Stream.of(
        Arguments.of("GpuShareProfile", "{unit: 32Mi}", "64Mi to 16Gi"),
        Arguments.of("GpuShareProfile", "{unit: 32Gi}", "64Mi to 16Gi"),
        Arguments.of("GpuShareProfile", "{unit: 256M}", "64Mi to 16Gi"),
        Arguments.of("GpuShareProfile", "{unit: 1000000Ki}", "64Mi to 16Gi"),
        Arguments.of("GpuShareProfile", "{exclusiveFromPercent: 0}", "exclusiveFromPercent"),
        Arguments.of("GpuShareProfile", "{exclusiveFromPercent: 102}", "exclusiveFromPercent"),
        Arguments.of("GpuShareProfile", "{resourceName: vcuda-memory}", "domain"),
        Arguments.of("GpuShareProfile", "{resourceName: nvidia.com/gpu}", "whole devices"),
        Arguments.of(
            "GpuShareProfile", "{nodeSelector: {matchLabels: {site: a b}}}", "label of this value"),
        Arguments.of(
            "GpuShareProfile", "{nodeSelector: {matchLabels: {/site: a}}}", "label of this name"),
        Arguments.of("GpuShareProfile", "{placement: Best}", "placement"),
        Arguments.of("GpuNode", "{accelerator: amd}", "accelerator"),
        Arguments.of("GpuNode", "{accelerator: jetson, allocation: Shared}", "nvidia"),
        Arguments.of("GpuNode", "{allocation: shared}", "allocation"));
  }

  @ParameterizedTest
  @MethodSource("badSpecs")
  void aBadSpecIsRefusedWithTheCure(String kind, String spec, String cure) {
    assertThatThrownBy(() -> apply(kind, spec)).hasMessageContaining(cure);
  }

  @Test
  void unitAndResourceNameCannotBeChanged() {
    try {
      apply("GpuShareProfile", "{unit: 512Mi, resourceName: example.com/memory}");

      assertThatThrownBy(
              () -> apply("GpuShareProfile", "{unit: 1Gi, resourceName: example.com/memory}"))
          .hasMessageContaining("unit cannot be changed");
      assertThatThrownBy(
              () -> apply("GpuShareProfile", "{unit: 512Mi, resourceName: example.com/other}"))
          .hasMessageContaining("resourceName cannot be changed");
      assertThatThrownBy(() -> apply("GpuShareProfile", "{resourceName: example.com/memory}"))
          .hasMessageContaining("unit cannot be changed");
    } finally {
      TestCluster.kubectl("delete", "gsp", "bad-input", "--ignore-not-found");
    }
  }

  private static void apply(String kind, String spec) {
    try {
      var file = Files.createTempFile("bad-input", ".yaml");
      Files.writeString(
          file,
          """
          apiVersion: gpu.baetyl.io/v1alpha1
          kind: %s
          metadata: {name: bad-input}
          spec: %s
          """
              .formatted(kind, spec));
      try {
        Command.run(
            Duration.ofSeconds(30),
            List.of("dev/cluster", "kubectl", "apply", "-f", file.toString()));
      } finally {
        Files.delete(file);
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
