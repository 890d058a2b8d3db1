package io.baetyl.gpu.deviceplugin;

import io.baetyl.gpu.api.v1alpha1.CardDecision;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileSpec;
import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import io.baetyl.gpu.deviceplugin.allocation.NodePods;
import io.baetyl.gpu.deviceplugin.sharing.Corrections;
import io.baetyl.gpu.deviceplugin.sharing.SharedCards;
import io.baetyl.gpu.model.ContainerRequest;
import io.baetyl.gpu.model.ShareRules;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** This node as the API server has it, in memory. */
final class FakeNode implements NodePods, NodeReport, Corrections {
  private final Map<String, NodePod> stored = new LinkedHashMap<>();
  private final Map<String, NodePod> watched = new LinkedHashMap<>();
  private final List<String> corrections = new CopyOnWriteArrayList<>();
  private final List<Content> writes = new CopyOnWriteArrayList<>();
  private volatile SharedCards cards;
  private volatile Content content = new Content(Optional.empty(), List.of());

  static Device card(String id, int units) {
    return card(id, units, Health.HEALTHY);
  }

  static Device card(String id, int units, Health health) {
    return new Device(
        id,
        0,
        "/dev/nvidia0",
        "Tesla P4",
        units * 256L,
        0L,
        units,
        health,
        health == Health.UNHEALTHY ? "XID 79" : null);
  }

  void share(Device... devices) {
    share(GpuShareProfileSpec.EMPTY, devices);
  }

  void share(GpuShareProfileSpec rules, Device... devices) {
    cards = new SharedCards(ShareRules.of(rules), List.of(devices));
  }

  /** The GpuNode does not say (any more) by which rules it shares. */
  void shareNothing() {
    cards = null;
  }

  Optional<SharedCards> cards() {
    return Optional.ofNullable(cards);
  }

  /** The rules in the units that the plugin said last to count. */
  Optional<ShareRules> reportedRules() {
    return content
        .plugin()
        .map(
            plugin ->
                ShareRules.of(
                    new GpuShareProfileSpec(
                        plugin.resourceName(), plugin.unit(), null, null, null, null)));
  }

  /** A pod bound to this node, with its decided card, or null where none was decided. */
  FakeKubelet.Pod bind(String name, String card, ContainerRequest... containers) {
    var pod = pod(name, card, containers);
    put(pod);
    return new FakeKubelet.Pod(pod.namespace(), pod.name(), pod.kubeletUid(), List.of(containers));
  }

  static FakeKubelet.Pod kubeletPod(NodePod pod) {
    return new FakeKubelet.Pod(pod.namespace(), pod.name(), pod.kubeletUid(), pod.requests());
  }

  static NodePod pod(String name, String card, ContainerRequest... containers) {
    var cardOf = new LinkedHashMap<String, String>();
    for (var container : containers) {
      cardOf.put(container.name(), card);
    }
    var uid = "uid-" + name;
    return new NodePod(
        "apps",
        name,
        uid,
        uid,
        Instant.EPOCH,
        Stream.of(containers).filter(container -> container.units() > 0).toList(),
        card == null ? Optional.empty() : Optional.of(new CardDecision(uid, cardOf)),
        NodePod.Life.LIVING,
        false);
  }

  synchronized void put(NodePod pod) {
    stored.put(pod.qualifiedName(), pod);
    watched.put(pod.qualifiedName(), pod);
  }

  /** The API server has it, the watch has not delivered it. */
  synchronized void putUnwatched(NodePod pod) {
    stored.put(pod.qualifiedName(), pod);
  }

  synchronized void delete(String name) {
    stored.remove("apps/" + name);
    watched.remove("apps/" + name);
  }

  synchronized void set(String name, NodePod.Life life) {
    var pod = stored.get("apps/" + name);
    put(
        new NodePod(
            pod.namespace(),
            pod.name(),
            pod.uid(),
            pod.kubeletUid(),
            pod.created(),
            pod.requests(),
            pod.decision(),
            life,
            false));
  }

  List<String> corrections() {
    return corrections;
  }

  List<Content> writes() {
    return writes;
  }

  @Override
  public synchronized Collection<NodePod> all() {
    return new ArrayList<>(watched.values());
  }

  @Override
  public synchronized Optional<NodePod> read(String namespace, String name) {
    return Optional.ofNullable(stored.get(namespace + "/" + name));
  }

  @Override
  public void correct(NodePod pod, CardDecision decision, String reason) {
    if (corrections.stream().noneMatch(known -> known.startsWith(decision.format() + " "))) {
      corrections.add(decision.format() + " " + reason);
    }
  }

  @Override
  public Optional<Content> current() {
    return Optional.of(content);
  }

  @Override
  public void write(Content next) {
    content = next;
    writes.add(next);
  }

  @Override
  public boolean replace(Content expected, Content next) {
    boolean unchanged = content.equals(expected);
    if (unchanged) {
      write(next);
    }
    return unchanged;
  }
}
