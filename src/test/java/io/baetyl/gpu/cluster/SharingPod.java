package io.baetyl.gpu.cluster;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A pod that asks for units; its containers print what they see of cards, then wait. */
final class SharingPod {
  static final String RESOURCE = "baidu.com/vcuda-memory";

  /** Ends on SIGTERM at once, as a well-behaved app does. */
  private static final String LOOK_AND_WAIT =
      """
      echo "card=${BAETYL_GPU_UUID:-}"
      echo "memory=${BAETYL_GPU_MEMORY_MIB:-}"
      nvidia-smi -L || true
      for path in /dev/nvidia[0-9]*; do [ -e "$path" ] && echo "node=$path"; done
      echo ready
      trap 'exit 0' TERM
      while :; do sleep 3600 & wait $!; done
      """;

  private final String name;
  private final List<Container> containers = new ArrayList<>();
  private final List<Container> initContainers = new ArrayList<>();
  private String node;
  private Map<String, String> labels = Map.of();
  private long gracePeriodSeconds = 30;
  private String restartPolicy = "Always";

  private SharingPod(String name) {
    this.name = name;
  }

  static SharingPod named(String name) {
    return new SharingPod(name);
  }

  /** A pod of one container that asks for this many units. */
  static SharingPod of(String name, int units) {
    return named(name).container("main", units);
  }

  SharingPod container(String container, int units) {
    return container(container, units, LOOK_AND_WAIT);
  }

  SharingPod container(String container, int units, String script) {
    containers.add(build(container, units, script));
    return this;
  }

  SharingPod initContainer(String container, int units) {
    initContainers.add(build(container, units, "true"));
    return this;
  }

  SharingPod sidecar(String container, int units) {
    initContainers.add(
        new ContainerBuilder(build(container, units, LOOK_AND_WAIT))
            .withRestartPolicy("Always")
            .build());
    return this;
  }

  SharingPod on(String node) {
    this.node = node;
    return this;
  }

  SharingPod labels(Map<String, String> labels) {
    this.labels = labels;
    return this;
  }

  SharingPod gracePeriodSeconds(long seconds) {
    this.gracePeriodSeconds = seconds;
    return this;
  }

  /** Runs once, to the end. */
  SharingPod once() {
    this.restartPolicy = "Never";
    return this;
  }

  Pod build() {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withLabels(labels)
        .endMetadata()
        .withNewSpec()
        .withContainers(containers)
        .withInitContainers(initContainers)
        .withNodeSelector(node == null ? Map.of() : Map.of("kubernetes.io/hostname", node))
        .withTerminationGracePeriodSeconds(gracePeriodSeconds)
        .withRestartPolicy(restartPolicy)
        .endSpec()
        .build();
  }

  private static Container build(String name, int units, String script) {
    return new ContainerBuilder()
        .withName(name)
        .withImage("localhost/toolbox:1")
        .withImagePullPolicy("Never")
        .withCommand("sh", "-c", script)
        .withNewResources()
        .withLimits(units == 0 ? Map.of() : Map.of(RESOURCE, new Quantity(Integer.toString(units))))
        .endResources()
        .build();
  }
}
