package io.baetyl.gpu.deviceplugin.sharing;

import io.baetyl.gpu.api.v1alpha1.CardDecision;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;

/** Is told when a pod gets another card than the one decided for it. */
@FunctionalInterface
public interface Corrections {

  /**
   * A pod's decision has to be corrected. Returns at once.
   *
   * @param pod the pod, with the decision that it was bound with
   * @param decision the cards that its containers get or have
   * @param reason why, in a sentence
   */
  void correct(NodePod pod, CardDecision decision, String reason);
}
