package io.baetyl.gpu.operator.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlueprintTest {

  private static Blueprint by(Map<String, String> settings, String serverVersion) {
    return Blueprint.of(Settings.of(settings), "localhost/own:1", serverVersion);
  }

  @Test
  void theDefaults() {
    var blueprint = by(Map.of(), "v1.36.3");

    assertThat(blueprint.image()).isEqualTo("localhost/own:1");
    assertThat(blueprint.schedulerImage()).isEqualTo("registry.k8s.io/kube-scheduler:v1.36.3");
    assertThat(blueprint.settings().imagePullPolicy()).isEqualTo("IfNotPresent");
    assertThat(blueprint.settings().imagePullSecrets()).isEmpty();
    assertThat(blueprint.settings().agentPriorityClass()).isEqualTo("system-node-critical");
    assertThat(blueprint.settings().clusterPriorityClass()).isEqualTo("system-cluster-critical");
    assertThat(blueprint.settings().agentTolerations().all().getFirst().getOperator())
        .isEqualTo("Exists");
    assertThat(blueprint.settings().kubeletDir()).isEqualTo("/var/lib/kubelet");
  }

  @Test
  void aDistributionsSuffixIsNotPartOfTheImagesTag() {
    assertThat(by(Map.of(), "v1.36.3+k3s1").schedulerImage())
        .isEqualTo("registry.k8s.io/kube-scheduler:v1.36.3");
  }

  @Test
  void everySettingHasAnEffect() {
    var blueprint =
        by(
            Map.of(
                "image", "r/gpu:2",
                "scheduler-image", "r/scheduler:2",
                "image-pull-policy", "Never",
                "image-pull-secrets", "one,two",
                "metrics-memory-limit", "1Gi",
                "metrics-runtime-class", "nvidia",
                "agent-tolerations", "[{\"key\":\"gpu\",\"operator\":\"Exists\"}]"),
            "v1.36.3");

    assertThat(blueprint.image()).isEqualTo("r/gpu:2");
    assertThat(blueprint.schedulerImage()).isEqualTo("r/scheduler:2");
    assertThat(blueprint.settings().imagePullPolicy()).isEqualTo("Never");
    assertThat(blueprint.settings().imagePullSecrets()).contains(List.of("one", "two"));
    assertThat(blueprint.metrics().memoryLimit()).isEqualTo("1Gi");
    assertThat(blueprint.settings().metricsRuntimeClass()).contains("nvidia");
    assertThat(blueprint.settings().agentTolerations().all().getFirst().getKey()).isEqualTo("gpu");
  }

  @ParameterizedTest
  @ValueSource(strings = {"key=gpu", "{\"key\":\"gpu\"}", "[{\"kay\":\"gpu\"}]", "[null]"})
  void whatIsNoListOfTolerationsIsRefusedWithAnExample(String text) {
    assertThatThrownBy(() -> Settings.of(Map.of("agent-tolerations", text)))
        .hasMessageContaining("gpu.agent-tolerations")
        .hasMessageContaining("GPU_AGENT_TOLERATIONS")
        .hasMessageContaining("[{\"key\":\"gpu\",\"operator\":\"Exists\"}]");
  }
}
