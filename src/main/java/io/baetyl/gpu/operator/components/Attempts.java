package io.baetyl.gpu.operator.components;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Goes on where the API server refuses one request, and keeps the first refusal of each kind. */
final class Attempts {
  private final Map<String, String> refusals = new TreeMap<>();

  /**
   * Does a step.
   *
   * @param whose what it is for
   * @return its result; empty where the API server has refused it
   * @throws KubernetesClientException if the API server is away
   */
  <T> Optional<T> attempt(String whose, Supplier<T> step) {
    try {
      return Optional.of(step.get());
    } catch (KubernetesClientException failed) {
      if (!Troubles.isRefusal(failed)) {
        throw failed;
      }
      refusals.putIfAbsent(whose, Troubles.reason(failed));
      return Optional.empty();
    }
  }

  void attempt(String whose, Runnable step) {
    attempt(
        whose,
        () -> {
          step.run();
          return true;
        });
  }

  /** Says that a component has to wait for another one, if that was refused something. */
  void blocked(String whose, String by) {
    Optional.ofNullable(refusals.get(by)).ifPresent(why -> refusals.putIfAbsent(whose, why));
  }

  /** Whose steps were refused, and why. */
  Map<String, String> refusals() {
    return refusals;
  }
}
