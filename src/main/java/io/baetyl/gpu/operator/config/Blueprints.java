package io.baetyl.gpu.operator.config;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.client.KubernetesClient;
import jakarta.inject.Singleton;

/** The blueprint of the workloads, by the settings and by what the cluster runs. */
@Singleton
public final class Blueprints {
  private static final String OPERATOR_CONTAINER = "operator";

  private final KubernetesClient client;
  private final GpuSettings settings;

  public Blueprints(KubernetesClient client, GpuSettings settings) {
    this.client = client;
    this.settings = settings;
  }

  /** Asked anew each time: an upgrade of the cluster changes the scheduler's image. */
  public Blueprint current() {
    return Blueprint.of(settings, ownImage(), client.getKubernetesVersion().getGitVersion());
  }

  private String ownImage() {
    if (settings.image().isPresent()) {
      return settings.image().get();
    }
    var name =
        settings
            .podName()
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "Outside of a cluster the operator cannot tell its own image: set"
                            + " GPU_IMAGE"));
    var pod = client.pods().inNamespace(settings.namespace()).withName(name).get();
    if (pod == null) {
      throw new IllegalStateException(
          "There is no pod %s in namespace %s: set POD_NAME and POD_NAMESPACE to the operator's own"
              .formatted(name, settings.namespace()));
    }
    return pod.getSpec().getContainers().stream()
        .filter(container -> container.getName().equals(OPERATOR_CONTAINER))
        .map(Container::getImage)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "The operator's pod has no container named operator: set GPU_IMAGE"));
  }
}
