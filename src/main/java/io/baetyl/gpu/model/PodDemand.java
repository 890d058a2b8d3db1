package io.baetyl.gpu.model;

import io.baetyl.gpu.model.ContainerRequest.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * What a pod needs of cards, part by part; each part has to be on one card.
 *
 * <p>Containers of an ordinary pod are parts of their own. Where an init container or sidecar asks
 * for units, all of the pod is one part: the kubelet gives the units of a finished init container
 * to the containers after it without asking the device plugin, any of them to any container, so
 * only a pod on one card keeps each container on one card.
 *
 * @param parts empty where the pod asks for nothing
 * @param held what each container accounts for; adds up to the parts. An init container is listed
 *     with what it needs beyond the containers that run later
 */
public record PodDemand(List<Part> parts, List<ContainerRequest> held) {
  public static final PodDemand NOTHING = new PodDemand(List.of(), List.of());

  /**
   * More units than any card has, and few enough that sums of them stay far from overflow. Whatever
   * a pod asks for beyond counts as this many.
   */
  public static final int MOST_UNITS = 1 << 28;

  /** The sum of units of a pod; where it would be absurd, {@link #MOST_UNITS}. */
  public static int plus(int units, int more) {
    return (int) Math.min(MOST_UNITS, (long) units + more);
  }

  /**
   * Containers that have to be on one card.
   *
   * @param containers their names
   * @param units what they need together, at least 1
   */
  public record Part(List<String> containers, int units) {}

  /** All units of the pod together. */
  public int units() {
    return parts.stream().mapToInt(Part::units).reduce(0, PodDemand::plus);
  }

  /** The most that has to be free on one card. */
  public int largestPart() {
    int largest = 0;
    for (var part : parts) {
      largest = Math.max(largest, part.units());
    }
    return largest;
  }

  /**
   * The demand of a pod by Kubernetes' own rule: the greater of what runs at the end and of what
   * runs at the turn of each init container.
   *
   * @param requests the containers that ask for units; init containers and sidecars in the order of
   *     the pod's spec
   */
  public static PodDemand of(List<ContainerRequest> requests) {
    if (requests.stream().allMatch(request -> request.kind() == Kind.APP)) {
      return new PodDemand(
          requests.stream()
              .map(request -> new Part(List.of(request.name()), request.units()))
              .toList(),
          List.copyOf(requests));
    }
    int apps = 0;
    int sidecars = 0;
    int peak = 0;
    String peakContainer = null;
    var held = new ArrayList<ContainerRequest>();
    for (var request : requests) {
      switch (request.kind()) {
        case APP -> apps = plus(apps, request.units());
        case SIDECAR -> sidecars = plus(sidecars, request.units());
        case INIT -> {
          if (plus(sidecars, request.units()) > peak) {
            peak = plus(sidecars, request.units());
            peakContainer = request.name();
          }
        }
      }
      if (request.kind() != Kind.INIT) {
        held.add(request);
      }
    }
    int lasting = plus(apps, sidecars);
    if (peak > lasting) {
      held.add(new ContainerRequest(peakContainer, peak - lasting, Kind.INIT));
    }
    var names = requests.stream().map(ContainerRequest::name).toList();
    return new PodDemand(List.of(new Part(names, Math.max(peak, lasting))), List.copyOf(held));
  }
}
