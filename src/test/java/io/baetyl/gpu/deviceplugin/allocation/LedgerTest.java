package io.baetyl.gpu.deviceplugin.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.model.ContainerRequest;
import io.baetyl.gpu.model.ContainerRequest.Kind;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

final class LedgerTest {
  private final Ledger ledger = new Ledger();

  @Test
  void aUnitIsOutOnlyOnce() {
    assertThat(ledger.take(main(pod("a", "1")), Set.of("GPU:0", "GPU:1"))).isTrue();
    assertThat(ledger.take(main(pod("b", "2")), Set.of("GPU:1", "GPU:2"))).isFalse();
    assertThat(ledger.holderOf("GPU:2")).isEmpty();
  }

  @Test
  void unitsStayWhileTheKubeletListsThem() {
    ledger.take(main(pod("a", "1")), Set.of("GPU:0"));
    reconcile(List.of(listed("a", "GPU:0")), List.of(), uid -> false);
    assertThat(ledger.holderOf("GPU:0")).contains("1");
  }

  @Test
  void unitsStayWhileAProcessLives() {
    ledger.take(main(pod("a", "1")), Set.of("GPU:0"));
    reconcile(List.of(), List.of(), "1"::equals);
    assertThat(ledger.holderOf("GPU:0")).contains("1");
  }

  @Test
  void unitsStayWhileThePodIsMeantToLive() {
    ledger.take(main(pod("a", "1")), Set.of("GPU:0"));
    reconcile(List.of(), List.of(pod("a", "1")), uid -> false);
    assertThat(ledger.holderOf("GPU:0")).contains("1");
  }

  @Test
  void unitsAreFreeWhenNobodyKnowsThePod() {
    ledger.take(main(pod("a", "1")), Set.of("GPU:0"));
    assertThat(reconcile(List.of(), List.of(), uid -> false)).containsExactly(pod("a", "1"));
    assertThat(ledger.held()).isEmpty();
  }

  @Test
  void aListingFromBeforeTheAllocationReleasesNothing() {
    long listing = ledger.listingBegins();
    ledger.take(main(pod("a", "1")), Set.of("GPU:0"));
    assertThat(ledger.reconcile(listing, List.of(), List.of(), uid -> false)).isEmpty();
    assertThat(ledger.holderOf("GPU:0")).contains("1");
  }

  @Test
  void aNewProcessLearnsFromTheListing() {
    reconcile(List.of(listed("a", "GPU:0", "GPU:1")), List.of(pod("a", "1")), uid -> false);
    assertThat(ledger.holderOf("GPU:1")).contains("1");
  }

  @Test
  void aNamesakeDoesNotInheritUnits() {
    ledger.take(main(pod("a", "old")), Set.of("GPU:0"));
    reconcile(List.of(listed("a", "GPU:0")), List.of(pod("a", "new")), uid -> false);
    assertThat(ledger.holderOf("GPU:0")).contains("old");
  }

  @Test
  void aStaticPodIsNamedOnceItsMirrorIsThere() {
    ledger.take(new Admission(NodePod.unknown("apps", "a"), ""), Set.of("GPU:0"));
    reconcile(List.of(listed("a", "GPU:0")), List.of(), uid -> false);
    assertThat(ledger.held()).singleElement().extracting(held -> held.pod().uid()).isEqualTo("");
    reconcile(List.of(listed("a", "GPU:0")), List.of(pod("a", "1")), uid -> false);
    assertThat(ledger.held())
        .singleElement()
        .satisfies(
            held -> {
              assertThat(held.pod().uid()).isEqualTo("1");
              assertThat(held.idsOf("main")).containsExactly("GPU:0");
            });
  }

  @Test
  void aMirrorThatClaimsAnotherPodsUidTakesNothingOver() {
    var victim = pod("a", "1");
    ledger.take(main(victim), Set.of("GPU:0"));

    reconcile(
        List.of(listed("a", "GPU:0")), List.of(victim, claiming(victim, "liar")), uid -> true);

    assertThat(ledger.held()).singleElement().extracting(held -> held.pod().name()).isEqualTo("a");
  }

  private static NodePod claiming(NodePod victim, String name) {
    var mirror = pod(name, "mirror");
    return new NodePod(
        mirror.namespace(),
        mirror.name(),
        mirror.uid(),
        victim.kubeletUid(),
        mirror.created(),
        mirror.requests(),
        mirror.decision(),
        mirror.life(),
        false);
  }

  @Test
  void somebodyUnknownIsNamedByTheListing() {
    ledger.take(new Admission(NodePod.unknown("", "unnamed-1"), ""), Set.of("GPU:0"));
    reconcile(List.of(listed("a", "GPU:0")), List.of(pod("a", "1")), uid -> false);
    assertThat(ledger.held()).singleElement().extracting(held -> held.pod().uid()).isEqualTo("1");
  }

  private List<NodePod> reconcile(
      List<ListedContainer> listed, List<NodePod> pods, Predicate<String> alive) {
    return ledger.reconcile(ledger.listingBegins(), listed, pods, alive);
  }

  private static Admission main(NodePod pod) {
    return new Admission(pod, "main");
  }

  private static ListedContainer listed(String pod, String... ids) {
    return new ListedContainer("apps", pod, "main", Set.of(ids));
  }

  private static NodePod pod(String name, String uid) {
    return new NodePod(
        "apps",
        name,
        uid,
        uid,
        Instant.EPOCH,
        List.of(new ContainerRequest("main", 1, Kind.APP)),
        Optional.empty(),
        NodePod.Life.LIVING,
        false);
  }

  @Test
  void aHolderIsOnItsWayOutWhenItIsDeletedOrForgotten() {
    var pod = pod("a", "1");
    ledger.take(main(pod), Set.of("GPU:0"));

    assertThat(ledger.ending(List.of(pod))).isEmpty();
    assertThat(ledger.ending(List.of(deleting(pod)))).containsExactly(pod);
    assertThat(ledger.ending(List.of())).containsExactly(pod);
  }

  private static NodePod deleting(NodePod pod) {
    return new NodePod(
        pod.namespace(),
        pod.name(),
        pod.uid(),
        pod.kubeletUid(),
        pod.created(),
        pod.requests(),
        pod.decision(),
        NodePod.Life.DELETING,
        false);
  }
}
