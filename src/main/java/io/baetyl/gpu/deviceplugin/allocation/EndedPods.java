package io.baetyl.gpu.deviceplugin.allocation;

import java.io.IOException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Releases what pods held that are over, when somebody needs it. The scheduler sends the next pod
 * as soon as one is over by its object, which can be a moment before the books say so.
 */
public final class EndedPods {
  private static final Logger LOG = LoggerFactory.getLogger(EndedPods.class);

  private final AllocationStrategy.Dependencies dependencies;

  public EndedPods(AllocationStrategy.Dependencies dependencies) {
    this.dependencies = dependencies;
  }

  /** Whether somebody holds anything who is on the way out. */
  public boolean someAreEnding() {
    return !dependencies.ledger().ending(dependencies.pods().all()).isEmpty();
  }

  /** Waits a moment, then releases. */
  public void releaseAfter(Duration pause) throws AllocationRefusedException {
    try {
      Thread.sleep(pause);
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      throw new AllocationRefusedException("The device plugin of this node stops");
    }
    release();
  }

  /**
   * Releases what nobody can be using any more. Not to be called during an Allocate, in which the
   * kubelet's account of units is vulnerable.
   */
  public void release() {
    var ledger = dependencies.ledger();
    boolean someEnded =
        ledger.ending(dependencies.pods().all()).stream()
            .anyMatch(pod -> !dependencies.alive().test(pod.kubeletUid()));
    if (!someEnded) {
      return;
    }
    try {
      long number = ledger.listingBegins();
      ledger.reconcile(
          number, dependencies.kubelet().list(), dependencies.pods().all(), dependencies.alive());
    } catch (IOException unanswered) {
      LOG.warn("The kubelet does not list its pods. reason={}", unanswered.getMessage());
    }
  }
}
