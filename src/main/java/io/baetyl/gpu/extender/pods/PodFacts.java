package io.baetyl.gpu.extender.pods;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.ObjectReader;
import io.baetyl.gpu.api.v1alpha1.CardDecision;
import io.baetyl.gpu.api.v1alpha1.WellKnownAnnotations;
import io.baetyl.gpu.extender.wire.Json;
import io.baetyl.gpu.model.Holding;
import io.baetyl.gpu.model.PodDemand;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What counts of a pod.
 *
 * @param node the node it is bound to, or null
 * @param nominated the node on which others are being ended for it, or null
 * @param created when it was made, RFC 3339, or empty
 * @param ending whether it is being deleted
 * @param ended whether it has run to its end, or failed
 * @param refused whether some scheduler has found no node for it
 * @param demands what it asks for, by resource name
 * @param decision the cards that it says were decided for it; believed only where they are complete
 */
public record PodFacts(
    PodName pod,
    String node,
    String nominated,
    int priority,
    String created,
    boolean ending,
    boolean ended,
    boolean refused,
    Map<String, PodDemand> demands,
    Optional<CardDecision> decision) {

  private static final ObjectReader READER = Json.MAPPER.readerFor(WatchedPod.class);

  /**
   * Reads a pod as kube-scheduler sends it, where a parser stands.
   *
   * @throws IOException if there is no pod
   */
  public static PodFacts read(JsonParser parser) throws IOException {
    WatchedPod pod = READER.readValue(parser);
    return of(pod);
  }

  /**
   * Reads a pod as the API server sends it.
   *
   * @throws IOException if it is none
   */
  public static PodFacts read(String json) throws IOException {
    WatchedPod pod = READER.readValue(json);
    return of(pod);
  }

  /** The facts of a pod that has been read. */
  public static PodFacts of(WatchedPod pod) {
    var metadata = pod.getMetadata() == null ? new ObjectMeta() : pod.getMetadata();
    var spec = pod.getSpec();
    var status = pod.getStatus();
    var phase = status == null ? null : status.phase();
    return new PodFacts(
        new PodName(metadata.getNamespace(), metadata.getName(), metadata.getUid()),
        spec == null ? null : emptyToNull(spec.nodeName()),
        status == null ? null : emptyToNull(status.nominatedNodeName()),
        spec == null || spec.priority() == null ? 0 : spec.priority(),
        metadata.getCreationTimestamp() == null ? "" : metadata.getCreationTimestamp(),
        metadata.getDeletionTimestamp() != null,
        "Succeeded".equals(phase) || "Failed".equals(phase),
        status != null
            && status.conditions() != null
            && status.conditions().stream()
                .anyMatch(it -> "PodScheduled".equals(it.type()) && "False".equals(it.status())),
        ExtendedResources.demands(spec),
        decision(metadata));
  }

  private static String emptyToNull(String text) {
    return text == null || text.isEmpty() ? null : text;
  }

  private static Optional<CardDecision> decision(ObjectMeta metadata) {
    return metadata.getAnnotations() == null || metadata.getUid() == null
        ? Optional.empty()
        : CardDecision.parse(
            metadata.getAnnotations().get(WellKnownAnnotations.CARDS), metadata.getUid());
  }

  public String uid() {
    return pod.uid();
  }

  /** The node on which room is to be left for the pod until it comes, or null. */
  public String awaitedOn() {
    return node == null && !ending ? nominated : null;
  }

  /**
   * Whether room that this pod waits for is to be kept from another: by kube-scheduler's own rule,
   * unless that has a lower priority. Of equals that wait on one node, the older comes first.
   */
  public boolean isAheadOf(PodFacts other) {
    if (uid().equals(other.uid())) {
      return false;
    }
    if (priority != other.priority || !Objects.equals(nominated, other.nominated)) {
      return priority >= other.priority;
    }
    return AGE.compare(this, other) < 0;
  }

  private static final Comparator<PodFacts> AGE =
      Comparator.comparing(PodFacts::created).thenComparing(PodFacts::uid);

  /** Those in front that others have to leave room for. */
  public static final Comparator<PodFacts> FIRST_SERVED =
      Comparator.comparingInt(PodFacts::priority).reversed().thenComparing(AGE);

  /**
   * What the pod holds by its decision: the cards of the annotation, the units of the spec.
   *
   * @return empty where no decision names a card for every container that asks
   */
  public static List<Holding> held(String uid, PodDemand demand, Optional<CardDecision> decision) {
    if (demand == null || decision.isEmpty()) {
      return List.of();
    }
    var holdings = new ArrayList<Holding>();
    for (var part : demand.parts()) {
      String card = null;
      for (var container : part.containers()) {
        var named = decision.get().cards().get(container);
        if (named == null || (card != null && !card.equals(named))) {
          return List.of();
        }
        card = named;
      }
      holdings.add(new Holding(uid, card, part.units()));
    }
    return holdings;
  }
}
