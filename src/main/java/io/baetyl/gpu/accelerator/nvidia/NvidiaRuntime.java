package io.baetyl.gpu.accelerator.nvidia;

import io.baetyl.gpu.accelerator.RuntimeFinding;
import io.baetyl.gpu.accelerator.cdi.CdiSpecs;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Whether containers on this node get NVIDIA's driver: by CDI, by NVIDIA's runtime as the default
 * one, or by its RuntimeClass.
 */
final class NvidiaRuntime {
  private final Path containerRoot;
  private final CdiSpecs specs;

  /**
   * What was seen on the node.
   *
   * @param cards how many cards the node has
   * @param withoutCdi those that no CDI spec holds
   * @param injected whether this very container was given the driver, by asking for all cards
   * @param runtimeClass whether the cluster has the RuntimeClass {@code nvidia}
   */
  record Facts(int cards, List<String> withoutCdi, boolean injected, boolean runtimeClass) {}

  /**
   * @param containerRoot of this container: /
   * @param hostRoot under which the host's /etc/cdi and /run/cdi are
   */
  NvidiaRuntime(Path containerRoot, Path hostRoot) {
    this.containerRoot = containerRoot;
    this.specs = CdiSpecs.of(hostRoot, "nvidia.com/gpu");
  }

  /**
   * Looks at this node.
   *
   * @param cards the UUIDs of its cards
   * @param runtimeClassExists whether the cluster has the RuntimeClass of {@link
   *     NvidiaRequirements}
   */
  RuntimeFinding look(Collection<String> cards, BooleanSupplier runtimeClassExists) {
    var withoutCdi = cards.stream().filter(card -> specs.nameOf(card).isEmpty()).toList();
    boolean injected = NvmlPaths.isInjected(containerRoot);
    return judge(
        new Facts(
            cards.size(),
            withoutCdi,
            injected,
            !injected && !withoutCdi.isEmpty() && runtimeClassExists.getAsBoolean()));
  }

  static RuntimeFinding judge(Facts facts) {
    if (facts.cards() == 0) {
      return new RuntimeFinding(
          false, "NoDevices", "There is no card that a container could be given");
    }
    if (facts.withoutCdi().isEmpty()) {
      return new RuntimeFinding(
          true,
          "CdiSpecs",
          "CDI specs on the node hold every card, and containers get cards by them");
    }
    if (facts.injected()) {
      return new RuntimeFinding(
          true, "DefaultRuntime", "The default container runtime gives containers NVIDIA's driver");
    }
    if (facts.withoutCdi().size() < facts.cards()) {
      return new RuntimeFinding(
          false,
          "CdiIncomplete",
          "The CDI specs on the node do not hold %s: run nvidia-ctk cdi generate"
                  .formatted(String.join(", ", facts.withoutCdi()))
              + " --output=/etc/cdi/nvidia.yaml on the node");
    }
    if (facts.runtimeClass()) {
      return new RuntimeFinding(
          true,
          "RuntimeClass",
          "NVIDIA's runtime is not the default one: pods that use cards need runtimeClassName:"
              + " nvidia");
    }
    return new RuntimeFinding(
        false,
        "RuntimeNotConfigured",
        "The container runtime does not give containers NVIDIA's driver: install the NVIDIA"
            + " Container Toolkit on the node and run nvidia-ctk runtime configure"
            + " --runtime=containerd --set-as-default and systemctl restart containerd; or, where"
            + " the runtime knows CDI, nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml");
  }
}
