package io.baetyl.gpu.operator.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.config.SmallRyeConfigBuilder;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BlueprintTest {

  private static Blueprint by(Map<String, String> settings, String serverVersion) {
    var all = new HashMap<>(Map.of("gpu.namespace", "kube-system"));
    all.putAll(settings);
    var mapped =
        new SmallRyeConfigBuilder()
            .withMapping(GpuSettings.class)
            .addDefaultInterceptors()
            .withDefaultValues(all)
            .build()
            .getConfigMapping(GpuSettings.class);
    return Blueprint.of(mapped, "localhost/own:1", serverVersion);
  }

  @Test
  void theDefaults() {
    var blueprint = by(Map.of(), "v1.36.3");

    assertThat(blueprint.image()).isEqualTo("localhost/own:1");
    assertThat(blueprint.schedulerImage()).isEqualTo("registry.k8s.io/kube-scheduler:v1.36.3");
    assertThat(blueprint.pullPolicy()).isEqualTo("IfNotPresent");
    assertThat(blueprint.pullSecrets()).isEmpty();
    assertThat(blueprint.agentPriorityClass()).isEqualTo("system-node-critical");
    assertThat(blueprint.clusterPriorityClass()).isEqualTo("system-cluster-critical");
    assertThat(blueprint.agentTolerations().getFirst().getOperator()).isEqualTo("Exists");
    assertThat(blueprint.kubeletDir()).isEqualTo("/var/lib/kubelet");
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
                "gpu.image", "r/gpu:2",
                "gpu.scheduler-image", "r/scheduler:2",
                "gpu.image-pull-policy", "Never",
                "gpu.image-pull-secrets", "one,two",
                "gpu.metrics-memory-limit", "1Gi",
                "gpu.metrics-runtime-class", "nvidia",
                "gpu.agent-tolerations", "[{\"key\":\"gpu\",\"operator\":\"Exists\"}]"),
            "v1.36.3");

    assertThat(blueprint.image()).isEqualTo("r/gpu:2");
    assertThat(blueprint.schedulerImage()).isEqualTo("r/scheduler:2");
    assertThat(blueprint.pullPolicy()).isEqualTo("Never");
    assertThat(blueprint.pullSecrets()).containsExactly("one", "two");
    assertThat(blueprint.metrics().memoryLimit()).isEqualTo("1Gi");
    assertThat(blueprint.metricsRuntimeClass()).contains("nvidia");
    assertThat(blueprint.agentTolerations().getFirst().getKey()).isEqualTo("gpu");
  }
}
