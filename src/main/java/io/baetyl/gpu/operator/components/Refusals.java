package io.baetyl.gpu.operator.components;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Why a DaemonSet has no pods. Its status does not tell, unlike a Deployment's: the reason is in an
 * Event only, which is asked for when pods are missing, for all nodes together.
 */
public final class Refusals {
  private static final int LONGEST = 700;
  private static final Duration KNOWN_FOR = Duration.ofSeconds(10);

  private final KubernetesClient client;
  private final Clock clock;
  private final Map<String, Known> knownByUid = new HashMap<>();

  private record Known(Optional<String> refusal, Instant askedAt) {}

  public Refusals(KubernetesClient client, Clock clock) {
    this.client = client;
    this.clock = clock;
  }

  /** Why the API server refuses the pods of a DaemonSet; empty where it has them or is silent. */
  public synchronized Optional<String> of(String name, Collection<DaemonSet> daemonSets) {
    return daemonSets.stream()
        .filter(candidate -> candidate.getMetadata().getName().equals(name))
        .filter(Refusals::lacksPods)
        .findFirst()
        .flatMap(this::known)
        .map(Refusals::explain);
  }

  private Optional<String> known(DaemonSet daemonSet) {
    var now = clock.instant();
    return knownByUid
        .compute(
            daemonSet.getMetadata().getUid(),
            (uid, known) ->
                known == null || known.askedAt().isBefore(now.minus(KNOWN_FOR))
                    ? new Known(lastRefusal(daemonSet), now)
                    : known)
        .refusal();
  }

  private static boolean lacksPods(DaemonSet daemonSet) {
    var status = daemonSet.getStatus();
    return status != null
        && status.getDesiredNumberScheduled() != null
        && status.getCurrentNumberScheduled() != null
        && status.getCurrentNumberScheduled() < status.getDesiredNumberScheduled();
  }

  private Optional<String> lastRefusal(DaemonSet daemonSet) {
    return client
        .v1()
        .events()
        .inNamespace(daemonSet.getMetadata().getNamespace())
        .withField("involvedObject.uid", daemonSet.getMetadata().getUid())
        .withField("reason", "FailedCreate")
        .list()
        .getItems()
        .stream()
        .max(Comparator.comparing(event -> String.valueOf(event.getLastTimestamp())))
        .map(Event::getMessage);
  }

  /** The API server's words, and what to do about pod security, the usual cause. */
  static String explain(String message) {
    var cure =
        message.contains("PodSecurity")
            ? ": label the namespace with pod-security.kubernetes.io/enforce=privileged, since the"
                + " node agents need the host's devices"
            : "";
    // A pod has a random name, with which every message would be new.
    var steady = message.replaceAll("pods? \"[^\"]+\"", "the pod");
    return "its pods are refused: "
        + (steady.length() > LONGEST ? steady.substring(0, LONGEST) + "…" : steady)
        + cure;
  }
}
