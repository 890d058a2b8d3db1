package io.baetyl.gpu.operator.gpunode;

import static java.util.stream.Collectors.joining;

import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.operator.resolve.Rules;
import java.util.Optional;

/** That a node is to share by other units, and waits for the pods that hold those it has. */
final class WaitingChange {
  static final String REASON = "ChangeWaits";

  private static final int NAMED_PODS = 5;

  private WaitingChange() {}

  /** What the change waits for, in a sentence; empty where none waits. */
  static Optional<String> message(Rules rules, GpuNodeStatus status) {
    return rules
        .next()
        .map(
            next -> {
              var now = rules.inForce().orElseThrow();
              var pods =
                  status.heldBy(now.sharing().resourceName()).stream()
                      .map(row -> row.namespace() + "/" + row.pod())
                      .distinct()
                      .toList();
              return "the node is to share by GpuShareProfile %s in units of %s of %s; %s of %s of %s by the rules before, and it changes once they have ended: %s"
                  .formatted(
                      next.profile(),
                      next.sharing().unit(),
                      next.sharing().resourceName(),
                      pods.size() == 1 ? "1 pod holds units" : pods.size() + " pods hold units",
                      now.sharing().unit(),
                      now.sharing().resourceName(),
                      pods.stream().limit(NAMED_PODS).collect(joining(", "))
                          + (pods.size() > NAMED_PODS ? ", …" : ""));
            });
  }
}
