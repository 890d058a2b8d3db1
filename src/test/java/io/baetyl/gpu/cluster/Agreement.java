package io.baetyl.gpu.cluster;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingInt;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationState;
import io.baetyl.gpu.model.UnitId;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** What containers, kubelet and status say of who holds what on a node, compared. */
final class Agreement {
  /** Until when the status is right again, whatever has happened. */
  private static final Duration LIMIT = Duration.ofSeconds(15);

  private record OnCard(String podUid, String card) {}

  private record Unit(String podUid, UnitId id) {
    OnCard onCard() {
      return new OnCard(podUid, id.card());
    }
  }

  private final Sharing sharing;
  private final String node;

  Agreement(Sharing sharing, String node) {
    this.sharing = sharing;
    this.node = node;
  }

  /** Waits until all three are the same, and returns it; no card may be over its units. */
  Set<Held> await() {
    var held = new HashSet<Held>();
    Awaitility.await("containers, kubelet and status of " + node + " agree")
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(300))
        // A kubelet that has just started knows its containers a moment later.
        .ignoreException(KubernetesClientException.class)
        .untilAsserted(
            () -> {
              var inside = inside();
              assertThat(byKubelet()).as("kubelet against containers").isEqualTo(inside);
              assertThat(byStatus()).as("status against containers").isEqualTo(inside);
              held.clear();
              held.addAll(inside);
            });
    for (var device : sharing.gpuNode(node).getStatus().devices()) {
      int used =
          held.stream()
              .filter(share -> share.card().equals(device.id()))
              .mapToInt(Held::units)
              .sum();
      assertThat(used).as("units of card %s", device.id()).isLessThanOrEqualTo(device.units());
    }
    return held;
  }

  /**
   * Waits until the status has all that the kubelet has out for pods that have not ended, and no
   * more. Others may be on their way meanwhile.
   */
  void awaitStatus() {
    Awaitility.await("the status of " + node + " tells what the kubelet has out")
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(100))
        .ignoreException(KubernetesClientException.class)
        .untilAsserted(
            () -> {
              var books = Checkpoint.read(node);
              var living = living();
              var rows = sharing.gpuNode(node).getStatus().allocations();
              assertThat(Checkpoint.read(node)).as("books, looked at twice").isEqualTo(books);
              assertThat(
                      rows.stream()
                          .filter(row -> row.namespace().equals(sharing.namespace()))
                          .filter(row -> row.state() != AllocationState.ASSUMED)
                          .collect(
                              groupingBy(
                                  row -> new OnCard(row.uidOnTheNode(), row.device()),
                                  summingInt(Allocation::units))))
                  .as("units by the status")
                  .isEqualTo(
                      books.stream()
                          .filter(entry -> living.contains(entry.podUid()))
                          .flatMap(Agreement::units)
                          .distinct()
                          .collect(groupingBy(Unit::onCard, summingInt(unit -> 1))));
            });
  }

  /** By the UIDs that they have at the kubelet. */
  private Set<String> living() {
    return sharing.client().pods().inNamespace(sharing.namespace()).list().getItems().stream()
        .filter(pod -> !List.of("Succeeded", "Failed").contains(pod.getStatus().getPhase()))
        .map(Agreement::kubeletUid)
        .collect(toSet());
  }

  private static Stream<Unit> units(Checkpoint.Entry entry) {
    return entry.ids().stream().map(id -> new Unit(entry.podUid(), UnitId.parse(id).orElseThrow()));
  }

  private List<Pod> running() {
    return sharing.client().pods().inNamespace(sharing.namespace()).list().getItems().stream()
        .filter(pod -> node.equals(pod.getSpec().getNodeName()))
        .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .toList();
  }

  private Set<Held> inside() {
    var held = new HashSet<Held>();
    for (var pod : running()) {
      for (var container : pod.getSpec().getContainers()) {
        sharing
            .inside(pod, container.getName())
            .filter(view -> !view.seesNoCard())
            .ifPresent(
                view ->
                    held.add(
                        view.held(
                            pod.getMetadata().getName(),
                            container.getName(),
                            sharing.rules().unitMiB())));
      }
    }
    return held;
  }

  private Set<Held> byKubelet() {
    var held = new HashSet<Held>();
    var seen = new ArrayList<String>();
    var running = running();
    for (var entry : Checkpoint.read(node)) {
      var pod =
          running.stream()
              .filter(known -> kubeletUid(known).equals(entry.podUid()))
              .filter(known -> hasApp(known, entry.container()))
              .findFirst();
      if (pod.isEmpty() || !entry.resource().equals(sharing.rules().resourceName())) {
        continue;
      }
      seen.addAll(entry.ids());
      var cards =
          entry.ids().stream().map(id -> UnitId.parse(id).orElseThrow().card()).distinct().toList();
      assertThat(cards).as("cards of %s", entry).hasSize(1);
      held.add(
          new Held(
              pod.get().getMetadata().getName(),
              entry.container(),
              cards.getFirst(),
              entry.ids().size()));
    }
    assertThat(seen).as("ids that the kubelet has out on %s", node).doesNotHaveDuplicates();
    return held;
  }

  /** The kubelet keeps the units of an init container in its books, beside whom it gave them to. */
  private static boolean hasApp(Pod pod, String container) {
    return pod.getSpec().getContainers().stream().anyMatch(app -> app.getName().equals(container));
  }

  /** A static pod has another UID at the kubelet than its mirror at the API server. */
  private static String kubeletUid(Pod pod) {
    var metadata = pod.getMetadata();
    return metadata.getAnnotations().getOrDefault("kubernetes.io/config.hash", metadata.getUid());
  }

  private Set<Held> byStatus() {
    var held = new HashSet<Held>();
    for (var allocation : sharing.gpuNode(node).getStatus().allocations()) {
      if (allocation.namespace().equals(sharing.namespace())) {
        held.add(held(allocation));
      }
    }
    return held;
  }

  private static Held held(Allocation allocation) {
    return new Held(
        allocation.pod(), allocation.container(), allocation.device(), allocation.units());
  }
}
