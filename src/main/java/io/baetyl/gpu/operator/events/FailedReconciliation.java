package io.baetyl.gpu.operator.events;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.reconciler.ErrorStatusUpdateControl;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A reconciliation that failed: told in one line; the SDK tries again, less and less often. */
public final class FailedReconciliation {
  private static final Logger LOG = LoggerFactory.getLogger(FailedReconciliation.class);

  private FailedReconciliation() {}

  public static <P extends HasMetadata> ErrorStatusUpdateControl<P> tell(
      P object, Exception failure) {
    LOG.warn(
        "Cannot reconcile; will try again. kind={} name={} reason={}",
        object.getKind(),
        object.getMetadata().getName(),
        failure.getMessage());
    LOG.debug("Cannot reconcile", failure);
    return ErrorStatusUpdateControl.defaultErrorProcessing();
  }
}
