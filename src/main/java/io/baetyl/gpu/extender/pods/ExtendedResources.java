package io.baetyl.gpu.extender.pods;

import io.baetyl.gpu.model.ContainerRequest;
import io.baetyl.gpu.model.ContainerRequest.Kind;
import io.baetyl.gpu.model.PodDemand;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a pod's spec asks for of extended resources. All of them are read, not only those that some
 * profile names now: a profile may come after the pod.
 */
final class ExtendedResources {
  private ExtendedResources() {}

  /** The demand by resource name; empty where the pod asks for none. */
  static Map<String, PodDemand> demands(WatchedPod.Spec spec) {
    if (spec == null) {
      return Map.of();
    }
    var requests = new HashMap<String, List<ContainerRequest>>();
    for (var container : orEmpty(spec.initContainers())) {
      var kind = "Always".equals(container.restartPolicy()) ? Kind.SIDECAR : Kind.INIT;
      add(requests, container, kind);
    }
    for (var container : orEmpty(spec.containers())) {
      add(requests, container, Kind.APP);
    }
    if (requests.isEmpty()) {
      return Map.of();
    }
    var demands = new HashMap<String, PodDemand>();
    requests.forEach((resource, asked) -> demands.put(resource, PodDemand.of(asked)));
    return Map.copyOf(demands);
  }

  private static void add(
      Map<String, List<ContainerRequest>> requests, WatchedPod.Container container, Kind kind) {
    var resources = container == null ? null : container.resources();
    if (resources == null || container.name() == null) {
      return;
    }
    // For extended resources the API server keeps both equal; whoever sends less, the more counts.
    var amounts = new HashMap<String, Integer>();
    orEmpty(resources.limits()).forEach((name, amount) -> count(amounts, name, amount));
    orEmpty(resources.requests()).forEach((name, amount) -> count(amounts, name, amount));
    amounts.forEach(
        (resource, units) ->
            requests
                .computeIfAbsent(resource, name -> new ArrayList<>())
                .add(new ContainerRequest(container.name(), units, kind)));
  }

  private static void count(Map<String, Integer> amounts, String resource, Object amount) {
    if (isExtended(resource)) {
      int units = units(amount);
      if (units > 0) {
        amounts.merge(resource, units, Math::max);
      }
    }
  }

  private static boolean isExtended(String resource) {
    int slash = resource.indexOf('/');
    return slash > 0 && !resource.substring(0, slash).endsWith("kubernetes.io");
  }

  /** A whole number of units; what is more than any card has is only known to be too much. */
  private static int units(Object amount) {
    try {
      var exact =
          amount instanceof Number number
              ? new BigDecimal(number.toString())
              : Quantity.getAmountInBytes(Quantity.parse(String.valueOf(amount)));
      return exact.min(BigDecimal.valueOf(PodDemand.MOST_UNITS)).intValue();
    } catch (IllegalArgumentException | ArithmeticException unreadable) {
      return 0;
    }
  }

  private static <T> List<T> orEmpty(List<T> list) {
    return list == null ? List.of() : list;
  }

  private static Map<String, Object> orEmpty(Map<String, Object> map) {
    return map == null ? Map.of() : map;
  }
}
