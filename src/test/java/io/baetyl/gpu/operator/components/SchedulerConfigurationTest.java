package io.baetyl.gpu.operator.components;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SchedulerConfigurationTest {

  private static JsonNode parsed(String address, String... resources) throws Exception {
    return new YAMLMapper()
        .readTree(
            SchedulerConfiguration.of("somewhere", address, new TreeSet<>(List.of(resources))));
  }

  @Test
  void theExtenderIsAskedAboutTheSharedResourcesOnly() throws Exception {
    var extender = parsed("10.96.0.9", "b.com/y", "a.com/x").at("/extenders/0");

    assertThat(extender.path("managedResources").findValuesAsText("name"))
        .containsExactly("a.com/x", "b.com/y");
    assertThat(extender.path("urlPrefix").asText()).isEqualTo("https://10.96.0.9");
    assertThat(extender.at("/tlsConfig/serverName").asText())
        .isEqualTo("baetyl-gpu-scheduler-extender.somewhere.svc");
    assertThat(extender.path("nodeCacheCapable").asBoolean()).isTrue();
    assertThat(extender.path("ignorable").asBoolean()).isFalse();
  }

  @Test
  void anAddressOfIpVersion6IsPutInBrackets() throws Exception {
    assertThat(parsed("fd00::9", "a.com/x").at("/extenders/0/urlPrefix").asText())
        .isEqualTo("https://[fd00::9]");
  }

  @Test
  void theSchedulerHasANameOfItsOwnAndNoLease() throws Exception {
    var configuration = parsed("10.96.0.9", "a.com/x");

    assertThat(configuration.at("/profiles/0/schedulerName").asText())
        .isEqualTo("baetyl-gpu-scheduler");
    assertThat(configuration.at("/leaderElection/leaderElect").asBoolean(true)).isFalse();
  }
}
