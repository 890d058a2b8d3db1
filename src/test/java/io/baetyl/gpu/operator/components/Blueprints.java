package io.baetyl.gpu.operator.components;

import io.baetyl.gpu.operator.config.Blueprint;
import io.baetyl.gpu.operator.config.Footprint;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import java.util.List;
import java.util.Optional;

/** Blueprints in which every setting is told from the others and from the defaults. */
final class Blueprints {
  private Blueprints() {}

  static Blueprint withEverythingSet() {
    return new Blueprint(
        "somewhere",
        "registry.local/gpu:7",
        "registry.local/kube-scheduler:7",
        "Always",
        List.of("pull-secret"),
        "/opt/kubelet",
        Optional.of("nvidia"),
        new Footprint("11m", "101Mi", "201Mi"),
        new Footprint("12m", "102Mi", "202Mi"),
        new Footprint("13m", "103Mi", "203Mi"),
        new Footprint("14m", "104Mi", "204Mi"),
        List.of(new TolerationBuilder().withKey("agents").withOperator("Exists").build()),
        List.of(new TolerationBuilder().withKey("cluster").withOperator("Exists").build()),
        "agent-class",
        "cluster-class");
  }
}
