package io.baetyl.gpu.operator.gpunode;

import static java.util.stream.Collectors.joining;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import java.util.List;

/** Pods that hold devices since before the node's type or allocation was changed. */
final class EarlierPods {
  private static final int NAMED = 5;

  private EarlierPods() {}

  /** A message, and below it which they are, where there are some. */
  static String below(String message, List<Allocation> earlier) {
    var pods =
        earlier.stream().map(row -> row.namespace() + "/" + row.pod()).distinct().sorted().toList();
    return pods.isEmpty()
        ? message
        : message
            // What has lines ends in YAML that is to be copied.
            + (message.contains("\n") ? "\n# " : "; ")
            + "pods from before the change keep their devices until they end: "
            + pods.stream().limit(NAMED).collect(joining(", "))
            + (pods.size() > NAMED ? ", …" : "");
  }
}
