package io.baetyl.gpu.deviceplugin.cluster;

import io.baetyl.gpu.api.v1alpha1.CardDecision;
import io.baetyl.gpu.api.v1alpha1.FieldManagers;
import io.baetyl.gpu.api.v1alpha1.WellKnownAnnotations;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import io.baetyl.gpu.deviceplugin.sharing.Corrections;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Corrects the decision on a pod that got another card, so that annotation and truth agree. */
public final class AnnotationWriter implements Corrections, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AnnotationWriter.class);

  private static final PatchContext PATCH =
      new PatchContext.Builder()
          .withPatchType(PatchType.JSON_MERGE)
          .withFieldManager(FieldManagers.DEVICE_PLUGIN)
          .build();

  /** The watch may show the old annotation for so long after it was corrected. */
  private static final long WATCH_LAG_NANOS = TimeUnit.SECONDS.toNanos(10);

  private record Written(CardDecision decision, long nanos) {
    boolean covers(CardDecision wanted, long now) {
      return decision.equals(wanted) && now - nanos < WATCH_LAG_NANOS;
    }
  }

  private final KubernetesClient client;
  private final ConcurrentHashMap<String, Written> corrected = new ConcurrentHashMap<>();
  private final AtomicLong count = new AtomicLong();
  private final ExecutorService writes =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().name("annotations").daemon().factory());

  public AnnotationWriter(KubernetesClient client) {
    this.client = client;
  }

  @Override
  public void correct(NodePod pod, CardDecision decision, String reason) {
    long now = System.nanoTime();
    corrected.values().removeIf(written -> now - written.nanos() >= WATCH_LAG_NANOS);
    var before = corrected.put(pod.uid(), new Written(decision, now));
    if (before != null && before.covers(decision, now)) {
      corrected.put(pod.uid(), before);
      return;
    }
    writes.execute(() -> write(pod, decision, reason));
  }

  /** How many decisions were corrected since the start. */
  public long count() {
    return count.get();
  }

  private void write(NodePod pod, CardDecision decision, String reason) {
    // With the UID, so that a namesake made since is left alone.
    Pod intent =
        new PodBuilder()
            .withNewMetadata()
            .withUid(pod.uid())
            .addToAnnotations(WellKnownAnnotations.CARDS, decision.format())
            .endMetadata()
            .build();
    try {
      client
          .pods()
          .inNamespace(pod.namespace())
          .withName(pod.name())
          .patch(PATCH, Serialization.asJson(intent));
      count.incrementAndGet();
      LOG.warn(
          "Corrected the card of a pod. pod={} cards={} reason={}",
          pod.qualifiedName(),
          decision.format(),
          reason);
    } catch (KubernetesClientException refused) {
      corrected.remove(pod.uid());
      LOG.warn(
          "Cannot correct the annotation of a pod. pod={} reason={}",
          pod.qualifiedName(),
          refused.getMessage());
    }
  }

  @Override
  public void close() {
    writes.shutdown();
  }
}
