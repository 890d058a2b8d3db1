package io.baetyl.gpu.metrics.serving;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.baetyl.gpu.Promlint;
import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.Sample;
import io.baetyl.gpu.accelerator.Vendor;
import io.baetyl.gpu.accelerator.Vendors;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.metrics.containers.ContainerMemory;
import io.baetyl.gpu.metrics.watching.Survey;
import io.baetyl.gpu.metrics.watching.Survey.Driver;
import io.baetyl.gpu.metrics.watching.WatchedDevice;
import io.baetyl.gpu.metrics.watching.WatchedDevice.Presence;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The page for Prometheus against Prometheus' own linter. */
class PrometheusPageIT {
  private static final FoundDevice DEVICE =
      new FoundDevice("id-1", 0, "/dev/device0", "Model", "00000000:03:00.0", 8192);
  private static final Sample ALL_FIGURES =
      new Sample(
          OptionalLong.of(8L << 30),
          OptionalLong.of(3L << 30),
          OptionalLong.of(5L << 30),
          OptionalDouble.of(0.09),
          OptionalDouble.of(38),
          OptionalDouble.of(15.4),
          List.of(),
          Optional.empty());
  private static final WatchedDevice ANSWERING =
      new WatchedDevice(
          DEVICE, Health.HEALTHY, null, Optional.of(ALL_FIGURES), true, Presence.PRESENT);
  private static final ContainerMemory CONTAINER =
      new ContainerMemory(
          "shop", "guest", "main", "id-1", OptionalLong.of(1L << 30), OptionalLong.of(1L << 29));

  /**
   * What is found in the names of vendors' own exporters, which stay as existing dashboards have
   * them: dcgm-exporter's label is {@code modelName}.
   */
  private static final Map<AcceleratorType, Set<String>> EXCUSED =
      Map.of(
          AcceleratorType.NVIDIA,
          camelCaseLabelsOf(
              "DCGM_FI_DEV_FB_FREE",
              "DCGM_FI_DEV_FB_TOTAL",
              "DCGM_FI_DEV_FB_USED",
              "DCGM_FI_DEV_GPU_TEMP",
              "DCGM_FI_DEV_GPU_UTIL",
              "DCGM_FI_DEV_POWER_USAGE"));

  private static Set<String> camelCaseLabelsOf(String... families) {
    var findings = new TreeSet<String>();
    for (var family : families) {
      findings.add(family + " label names should be written in 'snake_case' not 'camelCase'");
    }
    return findings;
  }

  static List<Vendor> vendors() {
    return Vendors.ALL;
  }

  @ParameterizedTest
  @MethodSource("vendors")
  void prometheusFindsNothingInOurNames(Vendor vendor) throws Exception {
    var type = vendor.requirements().type();
    var survey = new Survey(type, new Driver.Answering(), true, List.of(ANSWERING));

    var page =
        PrometheusPage.of("edge-1", vendor.metrics(), survey, survey.devices(), List.of(CONTAINER));

    assertThat(Set.copyOf(Promlint.findings(page)))
        .as("findings of type %s", type)
        .isEqualTo(EXCUSED.getOrDefault(type, Set.of()));
  }

  @Test
  void theLinterFindsWhatIsWrong() throws Exception {
    var page = new Exposition();
    page.gauge("baetyl_gpu_memory_kilobytes", "Memory.");
    page.sample(Exposition.labels("node", "edge-1"), 1);

    assertThat(Promlint.findings(page.bytes()))
        .containsExactly(
            "baetyl_gpu_memory_kilobytes use base unit \"bytes\" instead of \"kilobytes\"");
  }

  @Test
  void theLinterSpeaksUpWhereThereIsNoPage() {
    assertThatThrownBy(() -> Promlint.findings("what is this\n".getBytes(UTF_8)))
        .isInstanceOf(AssertionError.class);
  }
}
