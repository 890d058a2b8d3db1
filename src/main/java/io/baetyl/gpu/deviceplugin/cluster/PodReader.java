package io.baetyl.gpu.deviceplugin.cluster;

import io.baetyl.gpu.api.v1alpha1.CardDecision;
import io.baetyl.gpu.api.v1alpha1.WellKnownAnnotations;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import io.baetyl.gpu.deviceplugin.allocation.NodePod.Life;
import io.baetyl.gpu.model.ContainerRequest;
import io.baetyl.gpu.model.ContainerRequest.Kind;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads of a pod what matters for cards. Pure. */
final class PodReader {
  /** On a mirror pod: the UID of its static pod at the kubelet. */
  private static final String STATIC_POD_UID = "kubernetes.io/config.hash";

  /** The most that a row of a GpuNode's status can tell. */
  private static final BigDecimal MOST_UNITS = BigDecimal.valueOf(262_144);

  private PodReader() {}

  static NodePod read(Pod pod, String resourceName) {
    var metadata = pod.getMetadata();
    var annotations =
        metadata.getAnnotations() == null ? Map.<String, String>of() : metadata.getAnnotations();
    return new NodePod(
        metadata.getNamespace(),
        metadata.getName(),
        metadata.getUid(),
        isMirror(annotations)
            ? annotations.getOrDefault(STATIC_POD_UID, metadata.getUid())
            : metadata.getUid(),
        created(metadata.getCreationTimestamp()),
        requests(pod, resourceName),
        CardDecision.parse(annotations.get(WellKnownAnnotations.CARDS), metadata.getUid()),
        life(pod),
        started(pod));
  }

  private static boolean isMirror(Map<String, String> annotations) {
    return annotations.containsKey("kubernetes.io/config.mirror");
  }

  private static List<ContainerRequest> requests(Pod pod, String resourceName) {
    var requests = new ArrayList<ContainerRequest>();
    for (var container : orEmpty(pod.getSpec().getInitContainers())) {
      var kind = "Always".equals(container.getRestartPolicy()) ? Kind.SIDECAR : Kind.INIT;
      request(container, resourceName, kind).ifPresent(requests::add);
    }
    for (var container : orEmpty(pod.getSpec().getContainers())) {
      request(container, resourceName, Kind.APP).ifPresent(requests::add);
    }
    return requests;
  }

  private static List<Container> orEmpty(List<Container> containers) {
    return containers == null ? List.of() : containers;
  }

  /** The limit: the kubelet allocates by it, and for extended resources the request is the same. */
  private static Optional<ContainerRequest> request(
      Container container, String resourceName, Kind kind) {
    var resources = container.getResources();
    if (resources == null || resources.getLimits() == null) {
      return Optional.empty();
    }
    return Optional.ofNullable(resources.getLimits().get(resourceName))
        .map(PodReader::units)
        .filter(units -> units > 0)
        .map(units -> new ContainerRequest(container.getName(), units, kind));
  }

  /** Whole units; more than any card has where the number is absurd. */
  private static int units(Quantity quantity) {
    return quantity.getNumericalAmount().max(BigDecimal.ZERO).min(MOST_UNITS).intValue();
  }

  private static Life life(Pod pod) {
    var phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
    if ("Succeeded".equals(phase) || "Failed".equals(phase)) {
      return Life.ENDED;
    }
    return pod.getMetadata().getDeletionTimestamp() == null ? Life.LIVING : Life.DELETING;
  }

  private static boolean started(Pod pod) {
    return pod.getStatus() != null
        && Stream.concat(
                orNone(pod.getStatus().getInitContainerStatuses()),
                orNone(pod.getStatus().getContainerStatuses()))
            .anyMatch(container -> container.getContainerID() != null);
  }

  private static Stream<ContainerStatus> orNone(List<ContainerStatus> statuses) {
    return statuses == null ? Stream.empty() : statuses.stream();
  }

  private static Instant created(String timestamp) {
    try {
      return timestamp == null ? Instant.EPOCH : Instant.parse(timestamp);
    } catch (DateTimeParseException unreadable) {
      return Instant.EPOCH;
    }
  }
}
