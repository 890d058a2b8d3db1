package io.baetyl.gpu.operator.components;

import static java.util.stream.Collectors.toUnmodifiableSet;

import io.fabric8.kubernetes.api.model.APIResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;

/**
 * The kinds of admission policies that the API server has. It is asked now and then, since only its
 * upgrade brings another one.
 */
@Singleton
public final class AdmissionKinds {
  private static final String GROUP = "admissionregistration.k8s.io/v1";
  private static final Duration KNOWN_FOR = Duration.ofMinutes(5);

  private final KubernetesClient client;
  private final Clock clock;
  private Set<String> known = Set.of();
  private Instant askedAt = Instant.MIN;

  public AdmissionKinds(KubernetesClient client, Clock clock) {
    this.client = client;
    this.clock = clock;
  }

  /** Whether pods can be changed by policy: from Kubernetes 1.36 on. */
  public boolean canMutate() {
    return has("MutatingAdmissionPolicy");
  }

  /** Whether there is such a kind of object, as of some minutes ago at most. */
  synchronized boolean has(String kind) {
    var now = clock.instant();
    if (askedAt.isBefore(now.minus(KNOWN_FOR))) {
      var resources = client.getApiResources(GROUP);
      known =
          resources == null
              ? Set.of()
              : resources.getResources().stream()
                  .map(APIResource::getKind)
                  .collect(toUnmodifiableSet());
      askedAt = now;
    }
    return known.contains(kind);
  }
}
