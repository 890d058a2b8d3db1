package io.baetyl.gpu.deviceplugin.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.model.ContainerRequest;
import io.baetyl.gpu.model.ContainerRequest.Kind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class WaitingPodsTest {
  private static final ContainerRequest EIGHT = new ContainerRequest("main", 8, Kind.APP);

  private final Ledger ledger = new Ledger();
  private final List<NodePod> watched = new ArrayList<>();
  private final List<NodePod> stored = new ArrayList<>();
  private final WaitingPods waiting =
      new WaitingPods(
          ledger,
          new NodePods() {
            @Override
            public Collection<NodePod> all() {
              return watched;
            }

            @Override
            public Optional<NodePod> read(String namespace, String name) {
              return stored.stream().filter(pod -> pod.name().equals(name)).findFirst();
            }
          });

  @Test
  void theListedPodWithoutUnitsIsTheOne() {
    watch(pod("a", "1", 1, EIGHT), pod("b", "2", 2, EIGHT), pod("c", "3", 3, EIGHT));
    // The pods that wait behind it are not on the kubelet's list yet.
    assertThat(find(8, listed("a", "main", "GPU:0"), listed("c", "main"))).contains("c/main");
  }

  @Test
  void theSizeTellsAContainerThatIsAllocatedAgain() {
    watch(pod("a", "1", 1, EIGHT), pod("b", "2", 2, new ContainerRequest("main", 5, Kind.APP)));
    assertThat(find(5, listed("a", "main"), listed("b", "main"))).contains("b/main");
  }

  @Test
  void theContainersOfAPodComeInOrder() {
    watch(pod("a", "1", 1, EIGHT, new ContainerRequest("side", 8, Kind.APP)));
    assertThat(find(8, listed("a", "main"), listed("a", "side"))).contains("a/main");
    assertThat(find(8, listed("a", "main", "GPU:0"), listed("a", "side"))).contains("a/side");
  }

  @Test
  void anInitContainerIsInNoListAndComesFirst() {
    var pod = pod("a", "1", 1, new ContainerRequest("init", 8, Kind.INIT), EIGHT);
    watch(pod);
    assertThat(find(8, listed("a", "main"))).contains("a/init");
    ledger.take(new Admission(pod, "init"), Set.of("GPU:0"));
    assertThat(find(8, listed("a", "main"))).contains("a/main");
  }

  @Test
  void aPodThatHasAllItsUnitsIsNotMistaken() {
    var withInit = pod("a", "1", 1, new ContainerRequest("init", 8, Kind.INIT), EIGHT);
    ledger.take(new Admission(withInit, "init"), Set.of("GPU:0"));
    watch(withInit, pod("b", "2", 2, EIGHT));
    assertThat(find(8, listed("a", "main", "GPU:0"), listed("a", "log"), listed("b", "main")))
        .contains("b/main");
  }

  @Test
  void nextToAPodWhoseInitContainerIsForgottenTheOtherIsTheOne() {
    watch(
        pod("a", "1", 1, new ContainerRequest("init", 8, Kind.INIT), EIGHT),
        pod("b", "2", 2, EIGHT));
    assertThat(find(8, listed("a", "main", "GPU:0"), listed("a", "log"), listed("b", "main")))
        .contains("b/main");
  }

  @Test
  void aPodThatHasStartedWaitsForNothing() {
    var started = pod("a", "1", 1, new ContainerRequest("init", 8, Kind.INIT));
    watch(
        new NodePod(
            started.namespace(),
            started.name(),
            started.uid(),
            started.kubeletUid(),
            started.created(),
            started.requests(),
            started.decision(),
            started.life(),
            true),
        pod("b", "2", 2, EIGHT));
    assertThat(find(8, listed("a", "log"), listed("b", "main"))).contains("b/main");
  }

  @Test
  void aStrangerComesBeforeAnInitContainerThatAsksAgain() {
    var pod = pod("a", "1", 1, new ContainerRequest("init", 8, Kind.INIT));
    ledger.take(new Admission(pod, "init"), Set.of("GPU:0"));
    watch(pod);
    assertThat(find(8, listed("a", "log"), listed("static", "main"))).contains("static/");
    assertThat(find(8, listed("a", "log"))).contains("a/init");
  }

  @Test
  void aPodThatTheWatchHasNotDeliveredIsAskedFor() {
    stored.add(pod("late", "1", 1, EIGHT));
    assertThat(find(8, listed("late", "main"))).contains("late/main");
  }

  @Test
  void aNamesakeOfAnOldPodIsAskedFor() {
    var old = pod("a", "old", 1, EIGHT);
    ledger.take(new Admission(old, "main"), Set.of("GPU:0"));
    watched.add(
        new NodePod(
            "apps",
            "a",
            "old",
            "old",
            old.created(),
            List.of(),
            old.decision(),
            old.life(),
            false));
    stored.add(pod("a", "new", 2, EIGHT));
    var found = waiting.find(Optional.of(List.of(listed("a", "main"))), 8);
    assertThat(found).hasValueSatisfying(is -> assertThat(is.pod().uid()).isEqualTo("new"));
  }

  @Test
  void aFinishedPodThatAnOldKubeletListsIsNotMistaken() {
    var done =
        new NodePod(
            "apps",
            "done",
            "1",
            "1",
            Instant.EPOCH,
            List.of(EIGHT),
            Optional.empty(),
            NodePod.Life.ENDED,
            false);
    watch(done, pod("b", "2", 2, EIGHT));
    assertThat(find(8, listed("done", "main"), listed("b", "main"))).contains("b/main");
  }

  @Test
  void whatNobodyKnowsIsAStaticPodWithoutMirror() {
    assertThat(find(8, listed("static", "main"))).contains("static/");
  }

  @Test
  void withoutTheListTheOldestOfThatSizeIsTaken() {
    watch(pod("young", "1", 9, EIGHT), pod("old", "2", 3, EIGHT));
    assertThat(waiting.find(Optional.empty(), 8))
        .hasValueSatisfying(is -> assertThat(is.pod().name()).isEqualTo("old"));
  }

  private Optional<String> find(int size, ListedContainer... listed) {
    return waiting
        .find(Optional.of(List.of(listed)), size)
        .map(admission -> admission.pod().name() + "/" + admission.container());
  }

  private void watch(NodePod... pods) {
    watched.addAll(List.of(pods));
    stored.addAll(List.of(pods));
  }

  private static ListedContainer listed(String pod, String container, String... ids) {
    return new ListedContainer("apps", pod, container, Set.of(ids));
  }

  private static NodePod pod(String name, String uid, int second, ContainerRequest... requests) {
    return new NodePod(
        "apps",
        name,
        uid,
        uid,
        Instant.ofEpochSecond(second),
        List.of(requests),
        Optional.empty(),
        NodePod.Life.LIVING,
        false);
  }
}
