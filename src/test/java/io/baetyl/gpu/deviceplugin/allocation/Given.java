package io.baetyl.gpu.deviceplugin.allocation;

import io.baetyl.gpu.api.v1alpha1.CardDecision;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileSpec;
import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.deviceplugin.sharing.SharedCards;
import io.baetyl.gpu.model.ContainerRequest;
import io.baetyl.gpu.model.ContainerRequest.Kind;
import io.baetyl.gpu.model.ShareRules;
import io.baetyl.gpu.model.UnitId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Cards, pods and units to test with. */
public final class Given {
  public static final String A = "GPU-a";
  public static final String B = "GPU-b";

  /** Units of 256 MiB, fullest card first, alone from four fifths of a card on. */
  public static final ShareRules RULES = ShareRules.of(GpuShareProfileSpec.EMPTY);

  private Given() {}

  public static Device card(String id, int units) {
    return card(id, units, Health.HEALTHY);
  }

  public static Device card(String id, int units, Health health) {
    var reason = health == Health.UNHEALTHY ? "XID 79" : null;
    return new Device(id, 0, "/dev/nvidia0", "Tesla P4", units * 256L, 0L, units, health, reason);
  }

  public static SharedCards shared(Device... cards) {
    return new SharedCards(RULES, List.of(cards));
  }

  public static ContainerRequest app(String name, int units) {
    return new ContainerRequest(name, units, Kind.APP);
  }

  public static ContainerRequest init(String name, int units) {
    return new ContainerRequest(name, units, Kind.INIT);
  }

  /** A pod that nothing was decided for. */
  public static NodePod pod(String name, ContainerRequest... requests) {
    return pod(name, Optional.empty(), NodePod.Life.LIVING, requests);
  }

  /** A pod that was bound with the cards of its containers. */
  public static NodePod decided(
      String name, Map<String, String> cards, ContainerRequest... requests) {
    return pod(
        name, Optional.of(new CardDecision(uid(name), cards)), NodePod.Life.LIVING, requests);
  }

  /** A pod from a file of the node, by its mirror at the API server. */
  public static NodePod mirrored(NodePod pod, String mirrorUid) {
    return new NodePod(
        pod.namespace(),
        pod.name(),
        mirrorUid,
        pod.kubeletUid(),
        pod.created(),
        pod.requests(),
        pod.decision(),
        pod.life(),
        false);
  }

  public static NodePod with(NodePod pod, NodePod.Life life) {
    return pod(pod.name(), pod.decision(), life, pod.requests().toArray(ContainerRequest[]::new));
  }

  private static NodePod pod(
      String name,
      Optional<CardDecision> decision,
      NodePod.Life life,
      ContainerRequest... requests) {
    return new NodePod(
        "apps",
        name,
        uid(name),
        uid(name),
        Instant.EPOCH,
        List.of(requests),
        decision,
        life,
        false);
  }

  public static String uid(String name) {
    return "uid-" + name;
  }

  /** So many units of a card, from a number on. */
  public static Set<String> units(String card, int first, int count) {
    return IntStream.range(first, first + count)
        .mapToObj(number -> new UnitId(card, number).format())
        .collect(Collectors.toSet());
  }
}
