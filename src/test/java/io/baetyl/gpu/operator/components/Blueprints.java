package io.baetyl.gpu.operator.components;

import io.baetyl.gpu.operator.config.Blueprint;
import io.baetyl.gpu.operator.config.Settings;
import java.util.Map;

/** Blueprints in which every setting is told from the others and from the defaults. */
final class Blueprints {
  private Blueprints() {}

  static Blueprint withEverythingSet() {
    return new Blueprint(
        Settings.of(
            Map.ofEntries(
                Map.entry("namespace", "somewhere"),
                Map.entry("image-pull-policy", "Always"),
                Map.entry("image-pull-secrets", "pull-secret"),
                Map.entry("kubelet-dir", "/opt/kubelet"),
                Map.entry("metrics-runtime-class", "nvidia"),
                Map.entry("metrics-memory-limit", "201Mi"),
                Map.entry("device-plugin-memory-limit", "202Mi"),
                Map.entry("extender-memory-limit", "203Mi"),
                Map.entry("scheduler-memory-limit", "204Mi"),
                Map.entry("agent-tolerations", "[{\"key\":\"agents\",\"operator\":\"Exists\"}]"),
                Map.entry("cluster-tolerations", "[{\"key\":\"cluster\",\"operator\":\"Exists\"}]"),
                Map.entry("agent-priority-class", "agent-class"),
                Map.entry("cluster-priority-class", "cluster-class"))),
        "registry.local/gpu:7",
        "registry.local/kube-scheduler:7");
  }
}
