package io.baetyl.gpu.operator.gpunode;

import static java.util.stream.Collectors.joining;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.model.EarlierHolders;
import java.util.List;

/** Pods that hold devices since before the node's type or allocation was changed. */
final class EarlierPods {
  private static final int NAMED = 5;

  private EarlierPods() {}

  /** Which they are, to be appended to a message; empty where there are none. */
  static String message(List<Allocation> allocations) {
    var pods =
        allocations.stream()
            .filter(EarlierHolders::isOf)
            .map(row -> "%s/%s (%s)".formatted(row.namespace(), row.pod(), row.resourceName()))
            .distinct()
            .toList();
    return pods.isEmpty()
        ? ""
        : "; since before the change, devices are held until they end by %s"
            .formatted(
                pods.stream().limit(NAMED).collect(joining(", "))
                    + (pods.size() > NAMED ? ", …" : ""));
  }
}
