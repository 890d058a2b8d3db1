package io.baetyl.gpu.extender.apiserver;

import io.baetyl.gpu.api.v1alpha1.CardDecision;
import io.baetyl.gpu.extender.pods.PodFacts;
import io.baetyl.gpu.extender.pods.PodName;
import java.time.Duration;

/** What the extender needs of the API server to bind and to wake pods. */
public interface PodApi {

  /** What became of a write. */
  sealed interface Outcome {
    /** It is done. */
    record Done() implements Outcome {}

    /** The object is not as it was taken to be: bound, made anew, or being deleted. */
    record Conflict(String message) implements Outcome {}

    /** The pod is not there. */
    record Gone() implements Outcome {}

    /** The API server will never do it. */
    record Refused(String message) implements Outcome {}

    /** It may have been done, or not, or may still be. */
    record Unclear(String message) implements Outcome {}
  }

  /** What a look at a pod shows. */
  sealed interface Look {
    /** The pod as it is now. */
    record Found(PodFacts pod) implements Look {}

    /** There is no pod of this name and uid. */
    record Gone() implements Look {}

    /** The API server did not say. */
    record Unclear(String message) implements Look {}
  }

  /**
   * Binds a pod to a node and records its cards, in one write.
   *
   * @param patience how long to wait for the answer at most; a request without one is unclear
   */
  Outcome bind(PodName pod, String node, CardDecision decision, Duration patience);

  /**
   * Looks at a pod, past every cache.
   *
   * @param patience how long to wait for the answer at most
   */
  Look look(PodName pod, Duration patience);

  /** Touches a waiting pod, so that kube-scheduler tries it again. */
  Outcome wake(PodName pod, String stamp);
}
