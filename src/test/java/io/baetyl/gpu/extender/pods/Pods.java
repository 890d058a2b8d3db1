package io.baetyl.gpu.extender.pods;

import io.baetyl.gpu.api.v1alpha1.CardDecision;
import java.util.Map;
import java.util.Optional;

/** Pods to test with. They are written as JSON and read by the product. */
public final class Pods {
  public static final String RESOURCE = "baidu.com/vcuda-memory";

  private Pods() {}

  /** A waiting pod with one container "main". */
  public static PodFacts waiting(String name, int units) {
    return waiting(name, units, 0);
  }

  /** A waiting pod of a priority. */
  public static PodFacts waiting(String name, int units, int priority) {
    return read(json(name, units, priority));
  }

  public static PodFacts read(String json) {
    try {
      return PodFacts.read(json);
    } catch (java.io.IOException unreadable) {
      throw new IllegalArgumentException(unreadable);
    }
  }

  /** As kube-scheduler sends it, as far as it matters. */
  public static String json(String name, int units, int priority) {
    return """
    {"metadata":{"name":"%1$s","namespace":"default","uid":"uid-%1$s",
      "creationTimestamp":"2026-01-01T00:00:00Z","labels":{"a":"b"},
      "managedFields":[{"manager":"kubectl","fieldsV1":{"f:metadata":{}}}]},
     "spec":{"priority":%3$d,"schedulerName":"baetyl-gpu-scheduler","volumes":[{"name":"v"}],
      "containers":[{"name":"main","image":"i","env":[{"name":"A","value":"B"}],
       "resources":{"limits":{"%4$s":"%2$d","cpu":"1"},
                    "requests":{"%4$s":"%2$d","cpu":"1"}}}]},
     "status":{"phase":"Pending","qosClass":"Burstable"}}\
    """
        .formatted(name, units, priority, RESOURCE);
  }

  public static PodFacts bound(PodFacts pod, String node, String card) {
    return bound(pod, node, Optional.of(new CardDecision(pod.uid(), Map.of("main", card))));
  }

  public static PodFacts bound(PodFacts pod, String node, Optional<CardDecision> decision) {
    return new PodFacts(
        pod.pod(),
        node,
        pod.nominated(),
        pod.priority(),
        pod.created(),
        pod.ending(),
        pod.ended(),
        false,
        pod.demands(),
        decision);
  }

  /** A waiting pod for which kube-scheduler makes room on a node; null for none. */
  public static PodFacts nominated(PodFacts pod, String node) {
    return new PodFacts(
        pod.pod(),
        pod.node(),
        node,
        pod.priority(),
        pod.created(),
        pod.ending(),
        pod.ended(),
        pod.refused(),
        pod.demands(),
        pod.decision());
  }

  public static PodFacts ending(PodFacts pod) {
    return new PodFacts(
        pod.pod(),
        pod.node(),
        pod.nominated(),
        pod.priority(),
        pod.created(),
        true,
        pod.ended(),
        false,
        pod.demands(),
        pod.decision());
  }
}
