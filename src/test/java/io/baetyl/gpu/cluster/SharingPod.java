package io.baetyl.gpu.cluster;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSchedulingGate;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A pod that asks for units; its containers print what they see of cards, then wait. */
final class SharingPod {
  static final String RESOURCE = "baidu.com/vcuda-memory";

  private static final String LOOK =
      """
      echo "card=${BAETYL_GPU_UUID:-}"
      echo "memory=${BAETYL_GPU_MEMORY_MIB:-}"
      cards=$(nvidia-smi -L)
      # The card may be at fault just now.
      for try in $(seq 20); do
        case "${BAETYL_GPU_UUID:-none} $cards" in none*|*"(UUID: GPU-"*) break;; esac
        sleep 1
        cards=$(nvidia-smi -L)
      done
      echo "$cards"
      for path in /dev/nvidia[0-9]*; do [ -e "$path" ] && echo "node=$path"; done
      echo ready
      """;

  /** Ends on SIGTERM at once, as a well-behaved app does. */
  private static final String LOOK_AND_WAIT =
      LOOK
          + """
          trap 'exit 0' TERM
          while :; do sleep 3600 & wait $!; done
          """;

  /** Ends for nothing but SIGKILL. */
  private static final String LOOK_AND_IGNORE =
      LOOK
          + """
          trap '' TERM
          while :; do sleep 3600 & wait $!; done
          """;

  private final String name;
  private final List<Container> containers = new ArrayList<>();
  private final List<Container> initContainers = new ArrayList<>();
  private String resource = RESOURCE;
  private String node;
  private Map<String, String> labels = Map.of();
  private long gracePeriodSeconds = 30;
  private String restartPolicy = "Always";
  private final Map<String, Quantity> requests = new HashMap<>();
  private String nodeName;
  private String priorityClass;
  private List<String> finalizers = List.of();
  private List<PodSchedulingGate> gates = List.of();
  private String folder;
  private String folderSize;

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

  /** A container that fails again and again. */
  SharingPod crashing(String container, int units) {
    return container(container, units, LOOK + "exit 1");
  }

  /** A container that ends well, at once. */
  SharingPod ending(String container, int units) {
    return container(container, units, LOOK + "exit 0");
  }

  /** A container that does not hear SIGTERM. */
  SharingPod deaf(String container, int units) {
    return container(container, units, LOOK_AND_IGNORE);
  }

  SharingPod initContainer(String container, int units) {
    return initContainer(container, units, "true");
  }

  SharingPod initContainer(String container, int units, String script) {
    initContainers.add(build(container, units, script));
    return this;
  }

  SharingPod sidecar(String container, int units) {
    initContainers.add(
        new ContainerBuilder(build(container, units, LOOK_AND_WAIT))
            .withRestartPolicy("Always")
            .build());
    return this;
  }

  /** Asks for this resource in place of the usual one. */
  SharingPod of(String other) {
    this.resource = other;
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

  /** What the pod asks for beside units, such as {@code cpu}. */
  SharingPod request(String resource, String quantity) {
    requests.put(resource, new Quantity(quantity));
    return this;
  }

  /** Sent to this node past every scheduler. */
  SharingPod boundTo(String name) {
    this.nodeName = name;
    return this;
  }

  SharingPod priorityClass(String name) {
    this.priorityClass = name;
    return this;
  }

  SharingPod finalizer(String name) {
    this.finalizers = List.of(name);
    return this;
  }

  /** A folder for its files, that may have no more than a size such as {@code 1Mi}. */
  SharingPod folder(String path, String sizeLimit) {
    this.folder = path;
    this.folderSize = sizeLimit;
    return this;
  }

  /** Not to be scheduled until its gates are removed. */
  SharingPod gated() {
    this.gates = List.of(new PodSchedulingGate("example.com/wait"));
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
        .withFinalizers(finalizers)
        .endMetadata()
        .withNewSpec()
        .withContainers(containers.stream().map(this::completed).toList())
        .withInitContainers(initContainers)
        .withVolumes(volumes())
        .withNodeName(nodeName)
        .withPriorityClassName(priorityClass)
        .withSchedulingGates(gates)
        .withNodeSelector(node == null ? Map.of() : Map.of("kubernetes.io/hostname", node))
        .withTerminationGracePeriodSeconds(gracePeriodSeconds)
        .withRestartPolicy(restartPolicy)
        .endSpec()
        .build();
  }

  private Container completed(Container container) {
    return new ContainerBuilder(container)
        .editResources()
        .withLimits(renamed(container.getResources().getLimits()))
        .addToRequests(requests)
        .endResources()
        .withVolumeMounts(mounts())
        .build();
  }

  private List<Volume> volumes() {
    return folder == null
        ? List.of()
        : List.of(
            new VolumeBuilder()
                .withName("folder")
                .withNewEmptyDir()
                .withSizeLimit(new Quantity(folderSize))
                .endEmptyDir()
                .build());
  }

  private List<VolumeMount> mounts() {
    return folder == null
        ? List.of()
        : List.of(new VolumeMountBuilder().withName("folder").withMountPath(folder).build());
  }

  private Map<String, Quantity> renamed(Map<String, Quantity> limits) {
    return limits.isEmpty() ? limits : Map.of(resource, limits.get(RESOURCE));
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
