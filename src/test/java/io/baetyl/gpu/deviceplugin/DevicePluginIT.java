package io.baetyl.gpu.deviceplugin;

import static io.baetyl.gpu.deviceplugin.FakeNode.card;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationState;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileSpec;
import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.api.v1alpha1.PluginState;
import io.baetyl.gpu.deviceplugin.allocation.NodePod;
import io.baetyl.gpu.kubelet.deviceplugin.ContainerAllocateResponse;
import io.baetyl.gpu.model.ContainerRequest;
import io.baetyl.gpu.model.ContainerRequest.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The plugin on real sockets, opposite a kubelet that allocates as the real one does. */
final class DevicePluginIT {
  private static final String A = "GPU-9f12f917-e458-4bb8-3d9d-8dc7fd6cddf7";
  private static final String B = "GPU-7cf0b881-7598-8b1a-3270-94d6f5d2479a";

  @TempDir Path folder;
  private final FakeNode node = new FakeNode();
  private FakeKubelet kubelet;
  private PluginUnderTest plugin;

  @BeforeEach
  void start() throws IOException {
    node.share(card(A, 29), card(B, 29));
    kubelet = new FakeKubelet(folder).start();
    plugin = new PluginUnderTest(kubelet, node);
    awaitUnits(58);
  }

  @AfterEach
  void stop() {
    plugin.close();
    kubelet.close();
  }

  @Test
  void registersWithAllUnitsAndReportsThatItServes() {
    assertThat(kubelet.registrations().getFirst().getResourceName())
        .isEqualTo("baidu.com/vcuda-memory");
    assertThat(kubelet.registrations().getFirst().getOptions().getGetPreferredAllocationAvailable())
        .isTrue();
    assertThat(kubelet.devices()).allMatch(device -> !device.hasTopology());
    await()
        .untilAsserted(
            () ->
                assertThat(node.current().orElseThrow().plugin())
                    .hasValueSatisfying(
                        status -> assertThat(status.state()).isEqualTo(PluginState.SERVING)));
  }

  @Test
  void registersAgainWithEveryNewSocketOfTheKubelet() throws Exception {
    var millis = new ArrayList<Long>();
    for (int restart = 0; restart < 20; restart++) {
      int registrations = kubelet.registrations().size();
      kubelet.kill();
      kubelet.start();
      await()
          .pollInterval(Duration.ofMillis(5))
          .untilAsserted(
              () -> assertThat(kubelet.registrations()).hasSizeGreaterThan(registrations));
      awaitUnits(58);
      millis.add(kubelet.registrationMillis());
    }
    millis.sort(null);
    // A single one may have met a busy machine.
    assertThat(millis.get(millis.size() / 2))
        .as("median of the milliseconds from a kubelet's start to its list of units: %s", millis)
        .isLessThan(100);
  }

  @Test
  void registersAgainWhenOnlyTheStreamBreaks() {
    kubelet.disconnect();
    await().untilAsserted(() -> assertThat(kubelet.registrations()).hasSize(2));
    awaitUnits(58);
  }

  @Test
  void aSocketLeftByAnEarlierProcessIsReplaced() throws Exception {
    plugin.close();
    Files.createFile(kubelet.devicePlugins().resolve("baetyl-nvidia-shared.sock"));
    plugin = new PluginUnderTest(kubelet, node);
    await().untilAsserted(() -> assertThat(kubelet.registrations()).hasSize(2));
    awaitUnits(58);
  }

  @Test
  void podsOfOneSizeGetTheirOwnCardsInAnyOrder() {
    var pods =
        IntStream.range(0, 6)
            .mapToObj(number -> node.bind("p" + number, number % 2 == 0 ? A : B, app("main", 8)))
            .toList();
    for (int number : List.of(5, 0, 3, 2, 1, 4)) {
      var given = kubelet.admit(pods.get(number)).get("main");
      assertThat(cardOf(given)).isEqualTo(number % 2 == 0 ? A : B);
    }
    assertThat(node.corrections()).isEmpty();
    await().untilAsserted(() -> assertThat(rows()).hasSize(6).allMatch(this::isRunning));
  }

  @Test
  void aContainerIsToldItsCardAndItsShare() {
    var given =
        kubelet.admit(node.bind("two", A, app("small", 4), app("large", 8), app("none", 0)));
    assertThat(given).containsOnlyKeys("small", "large");
    assertThat(given.get("large").getEnvsMap())
        .containsEntry("BAETYL_GPU_UUID", A)
        .containsEntry("BAETYL_GPU_MEMORY_MIB", "2048")
        .containsEntry("NVIDIA_VISIBLE_DEVICES", A);
    assertThat(given.get("small").getEnvsMap()).containsEntry("BAETYL_GPU_MEMORY_MIB", "1024");
    await()
        .untilAsserted(
            () ->
                assertThat(rows())
                    .extracting(Allocation::container, Allocation::units)
                    .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("large", 8),
                        org.assertj.core.groups.Tuple.tuple("small", 4)));
  }

  @Test
  void aPodThatTheWatchHasNotDeliveredIsAskedFor() {
    var pod = FakeNode.pod("late", B, app("main", 8));
    node.putUnwatched(pod);
    assertThat(cardOf(kubelet.admit(FakeNode.kubeletPod(pod)).get("main"))).isEqualTo(B);
  }

  @Test
  void aPodThatNobodyDecidedOnIsPlacedBesideTheDecided() {
    node.bind("expected", A, app("main", 20));
    var bypassing = node.bind("bypassing", null, app("main", 20));
    assertThat(cardOf(kubelet.admit(bypassing).get("main"))).isEqualTo(B);
    assertThat(node.corrections()).isEmpty();
  }

  @Test
  void aStaticPodWithoutMirrorIsPlaced() {
    var unknown =
        new FakeKubelet.Pod("kube-system", "static-node", "0af1", List.of(app("main", 8)));
    assertThat(cardOf(kubelet.admit(unknown).get("main"))).isEqualTo(A);
  }

  @Test
  void anUnhealthyCardIsCorrected() {
    var pod = node.bind("p", A, app("main", 8));
    node.share(card(A, 29, Health.UNHEALTHY), card(B, 29));
    plugin.changed();
    await()
        .untilAsserted(
            () ->
                assertThat(kubelet.devices())
                    .filteredOn(device -> device.getHealth().equals("Unhealthy"))
                    .hasSize(29));
    assertThat(cardOf(kubelet.admit(pod).get("main"))).isEqualTo(B);
    assertThat(node.corrections())
        .singleElement()
        .asString()
        .startsWith("uid-p:main=" + B)
        .contains("XID 79");
  }

  @Test
  void aPodThatFitsNoCardIsRefusedInWords() {
    kubelet.admit(node.bind("a", A, app("main", 20)));
    kubelet.admit(node.bind("b", B, app("main", 20)));
    var pod = node.bind("c", null, app("main", 10));
    assertThatThrownBy(() -> kubelet.admit(pod))
        .hasMessageContaining("container \"main\" of pod apps/c asks for 10 units")
        .hasMessageContaining("the largest free block is 9");
  }

  @Test
  void unitsOfTwoCardsAreRefused() {
    assertThatThrownBy(() -> kubelet.callAllocate(List.of(A + ":0", B + ":0")))
        .hasMessageContaining("one card only");
  }

  @Test
  void unitsThatAnotherPodHoldsAreRefused() {
    var pod = node.bind("a", A, app("main", 4));
    kubelet.admit(pod);
    var ids = kubelet.idsOf("uid-a", "main");
    node.bind("b", A, app("main", 4));
    assertThatThrownBy(() -> kubelet.callAllocate(List.of(ids.iterator().next(), A + ":28")))
        .hasMessageContaining("another pod still holds");
  }

  @Test
  void unitsThatTheKubeletForgotAreNotHandedOutAgain() {
    kubelet.admit(node.bind("a", A, app("main", 14)));
    kubelet.forgetWhatIsInUse();
    kubelet.admit(node.bind("b", A, app("main", 14)));
    assertThat(kubelet.idsOf("uid-b", "main"))
        .hasSize(14)
        .doesNotContainAnyElementsOf(kubelet.idsOf("uid-a", "main"));
    kubelet.forgetWhatIsInUse();
    var third = node.bind("c", A, app("main", 14));
    assertThat(cardOf(kubelet.admit(third).get("main"))).isEqualTo(B);
  }

  @Test
  void aCardThatAPodHasAloneIsRefused() {
    kubelet.admit(node.bind("alone", A, app("main", 24)));
    var other = node.bind("other", A, app("main", 4));
    assertThat(cardOf(kubelet.admit(other).get("main"))).isEqualTo(B);
    assertThatThrownBy(() -> kubelet.callAllocate(List.of(A + ":27", A + ":28")))
        .hasMessageContaining("another pod has it alone");
  }

  @Test
  void moreThanTheContainerAsksForIsRefused() {
    // Nobody else holds or is offered anything: these units are free, or the pod's own.
    var known = node.bind("p", A, app("main", 4));
    kubelet.admit(
        new FakeKubelet.Pod(known.namespace(), known.name(), known.uid(), List.of(app("main", 5))));
    var ids = kubelet.idsOf("uid-p", "main");
    await().untilAsserted(() -> assertThat(rows()).extracting(Allocation::pod).contains("p"));

    assertThatThrownBy(() -> kubelet.callAllocate(ids))
        .hasMessageContaining("container \"main\" of pod apps/p asks for 4 units")
        .hasMessageContaining("the kubelet wants 5 for it");
  }

  @Test
  void urA11CardsThatComeInAnotherOrderAreTheSame() throws Exception {
    kubelet.admit(node.bind("a", A, app("main", 20)));
    kubelet.admit(node.bind("b", B, app("main", 5)));
    await().untilAsserted(() -> assertThat(rows()).hasSize(2));
    var before = rows();
    var waiting = node.bind("waiting", B, app("main", 4));
    plugin.close();
    node.share(numbered(card(B, 29), 0), numbered(card(A, 29), 1));

    int registrations = kubelet.registrations().size();
    plugin = new PluginUnderTest(kubelet, node);
    await()
        .untilAsserted(() -> assertThat(kubelet.registrations()).hasSizeGreaterThan(registrations));
    awaitUnits(58);

    assertThat(cardOf(kubelet.admit(waiting).get("main"))).isEqualTo(B);
    assertThat(rows()).containsAll(before);
    assertThat(node.corrections()).isEmpty();
  }

  @Test
  void urA13MoreUnitsThanTheKubeletTakesAreNotOffered() {
    var cards =
        IntStream.range(0, 64)
            .mapToObj(
                number -> card("GPU-9f12f917-e458-4bb8-3d9d-8dc7fd6c%04x".formatted(number), 1152))
            .toArray(Device[]::new);

    node.share(cards);
    plugin.changed();

    awaitUnits(0);
    await()
        .untilAsserted(
            () ->
                assertThat(node.current().orElseThrow().plugin())
                    .hasValueSatisfying(
                        status -> {
                          assertThat(status.state()).isEqualTo(PluginState.BLOCKED);
                          assertThat(status.message())
                              .contains("73728 units")
                              .contains("choose a larger unit in the GpuShareProfile");
                        }));

    node.share(card(A, 29));
    plugin.changed();

    awaitUnits(29);
    await()
        .untilAsserted(
            () ->
                assertThat(node.current().orElseThrow().plugin())
                    .hasValueSatisfying(
                        status -> assertThat(status.state()).isEqualTo(PluginState.SERVING)));
  }

  @Test
  void theStatusTellsOfAPromiseThoughTheKubeletStandsStill() {
    kubelet.admit(node.bind("old", A, app("main", 4)));
    await().untilAsserted(() -> assertThat(rows()).hasSize(1));
    kubelet.silence();
    // Whether its units are free only the kubelet can say.
    node.delete("old");
    node.bind("decided", B, app("main", 8));
    plugin.changed();

    await()
        .atMost(Duration.ofSeconds(5))
        .untilAsserted(
            () ->
                assertThat(rows())
                    .extracting(Allocation::pod, Allocation::state)
                    .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple("old", AllocationState.TERMINATING),
                        org.assertj.core.groups.Tuple.tuple("decided", AllocationState.ASSUMED)));
  }

  @Test
  void unitsOfAForgottenPodAreKeptUntilItsProcessesAreGone() {
    plugin.alive.add("uid-old");
    kubelet.admit(node.bind("old", A, app("main", 20)));
    // A force delete: the API server and the kubelet forget at once, the container lives on.
    node.delete("old");
    kubelet.remove("uid-old");
    plugin.changed();
    await()
        .untilAsserted(
            () ->
                assertThat(rows())
                    .singleElement()
                    .extracting(Allocation::state)
                    .isEqualTo(AllocationState.TERMINATING));

    var next = node.bind("next", A, app("main", 20));
    assertThat(cardOf(kubelet.admit(next).get("main"))).isEqualTo(B);

    plugin.alive.remove("uid-old");
    await()
        .atMost(Duration.ofSeconds(2))
        .untilAsserted(
            () -> assertThat(rows()).extracting(Allocation::pod).containsExactly("next"));
    var last = node.bind("last", A, app("main", 20));
    assertThat(cardOf(kubelet.admit(last).get("main"))).isEqualTo(A);
  }

  @Test
  void aFinishedPodHoldsNothing() {
    kubelet.admit(node.bind("job", A, app("main", 20)));
    node.set("job", NodePod.Life.ENDED);
    kubelet.remove("uid-job");
    plugin.changed();
    await().atMost(Duration.ofSeconds(2)).untilAsserted(() -> assertThat(rows()).isEmpty());
  }

  /** The kubelet does not write by itself that it has dropped a pod. */
  @Test
  void unitsThatAreFreeAgainAreSoOnDisk() {
    kubelet.admit(node.bind("old", A, app("main", 20)));
    kubelet.admit(node.bind("other", B, app("main", 4)));
    assertThat(kubelet.onDisk()).hasSize(24);

    node.delete("old");
    kubelet.remove("uid-old");
    plugin.alive.remove("uid-old");
    plugin.changed();

    await()
        .atMost(Duration.ofSeconds(2))
        .untilAsserted(
            () -> assertThat(kubelet.onDisk()).isEqualTo(kubelet.idsOf("uid-other", "main")));
  }

  @Test
  void initContainersLeaveTheirUnitsToTheContainersAfterThem() {
    var pod =
        node.bind(
            "init",
            B,
            new ContainerRequest("prepare", 4, Kind.INIT),
            app("main", 10),
            app("side", 3));
    var given = kubelet.admit(pod);
    assertThat(given.values()).allMatch(response -> cardOf(response).equals(B));
    assertThat(kubelet.idsOf("uid-init", "main")).containsAll(kubelet.idsOf("uid-init", "prepare"));
    await()
        .untilAsserted(
            () ->
                assertThat(rows())
                    .extracting(Allocation::container, Allocation::units)
                    .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("main", 10),
                        org.assertj.core.groups.Tuple.tuple("side", 3)));
  }

  @Test
  void aLargerInitContainerCountsUntilThePodEnds() {
    var pod = node.bind("init", A, new ContainerRequest("prepare", 10, Kind.INIT), app("main", 4));
    kubelet.admit(pod);
    assertThat(kubelet.idsOf("uid-init", "prepare")).containsAll(kubelet.idsOf("uid-init", "main"));
    await()
        .untilAsserted(
            () -> assertThat(rows().stream().mapToInt(Allocation::units).sum()).isEqualTo(10));
  }

  @Test
  void aNewProcessKnowsWhoHasWhat() {
    kubelet.admit(node.bind("a", A, app("main", 20)));
    kubelet.admit(node.bind("b", B, app("main", 5)));
    await().untilAsserted(() -> assertThat(rows()).hasSize(2));
    var before = rows();
    plugin.close();

    int registrations = kubelet.registrations().size();
    plugin = new PluginUnderTest(kubelet, node);
    await()
        .untilAsserted(() -> assertThat(kubelet.registrations()).hasSizeGreaterThan(registrations));
    awaitUnits(58);
    assertThat(rows()).isEqualTo(before);
    assertThatThrownBy(
            () -> kubelet.callAllocate(kubelet.idsOf("uid-a", "main").stream().limit(2).toList()))
        .hasMessageContaining("another pod still holds");
    assertThat(cardOf(kubelet.admit(node.bind("c", null, app("main", 12))).get("main")))
        .isEqualTo(B);
  }

  @Test
  void aNewProcessKnowsThePodsThatEverybodyElseForgot() {
    plugin.alive.add("uid-old");
    kubelet.admit(node.bind("old", A, app("main", 20)));
    await().untilAsserted(() -> assertThat(rows()).hasSize(1));
    plugin.close();
    node.delete("old");
    kubelet.remove("uid-old");

    int registrations = kubelet.registrations().size();
    plugin = new PluginUnderTest(kubelet, node, plugin.alive);
    await()
        .untilAsserted(() -> assertThat(kubelet.registrations()).hasSizeGreaterThan(registrations));
    awaitUnits(58);
    assertThat(cardOf(kubelet.admit(node.bind("next", A, app("main", 20))).get("main")))
        .isEqualTo(B);
    assertThat(rows()).extracting(Allocation::pod).contains("old");
  }

  @Test
  void stoppingIsSaidAndTheSocketRemoved() {
    plugin.stop();
    assertThat(node.current().orElseThrow().plugin())
        .hasValueSatisfying(status -> assertThat(status.state()).isEqualTo(PluginState.STOPPING));
    assertThat(kubelet.devicePlugins().resolve("baetyl-nvidia-shared.sock")).doesNotExist();
  }

  @Test
  void aPodOnItsWayGetsItsCardBeforeTheStop() {
    var pod = node.bind("p", B, app("main", 8));
    var stopping = CompletableFuture.runAsync(plugin::stop);
    await()
        .untilAsserted(
            () ->
                assertThat(node.current().orElseThrow().plugin())
                    .hasValueSatisfying(
                        status -> assertThat(status.state()).isEqualTo(PluginState.STOPPING)));

    assertThat(cardOf(kubelet.admit(pod).get("main"))).isEqualTo(B);

    assertThat(stopping).as("waits for nobody any more").succeedsWithin(Duration.ofSeconds(4));
    assertThat(rows()).singleElement().matches(this::isRunning);
  }

  @Test
  void aPluginThatStopsDoesNotRegisterAgain() {
    int registrations = kubelet.registrations().size();

    plugin.stop();

    assertThat(kubelet.registrations()).hasSize(registrations);
  }

  @Test
  void untilRulesAreInForceNothingIsOffered() throws Exception {
    plugin.close();
    node.shareNothing();
    int registrations = kubelet.registrations().size();
    try (var early = new PluginUnderTest(kubelet, node)) {
      await()
          .during(Duration.ofMillis(500))
          .untilAsserted(() -> assertThat(kubelet.registrations()).hasSize(registrations));

      node.share(card(A, 29));
      early.changed();

      awaitUnits(29);
    }
  }

  @Test
  void otherUnitsComeWhenTheLastPodHasGone() {
    kubelet.admit(node.bind("old", A, app("main", 6)));
    var halves = new GpuShareProfileSpec("example.com/memory", "512Mi", null, null, null, null);
    node.share(halves, card(A, 16));
    plugin.changed();
    assertThat(kubelet.admit(node.bind("late", A, app("main", 2))).get("main").getEnvsMap())
        .as("the account is in the units that the other pod holds")
        .containsEntry("BAETYL_GPU_MEMORY_MIB", "512");

    for (var pod : List.of("old", "late")) {
      node.delete(pod);
      kubelet.remove("uid-" + pod);
    }
    plugin.changed();

    await()
        .untilAsserted(
            () ->
                assertThat(kubelet.registrations().getLast().getResourceName())
                    .isEqualTo("example.com/memory"));
    awaitUnits(8);
    assertThat(kubelet.admit(node.bind("new", A, app("main", 2))).get("main").getEnvsMap())
        .containsEntry("BAETYL_GPU_MEMORY_MIB", "1024");
  }

  @Test
  void nothingIsWrittenWhereNothingChanges() {
    kubelet.admit(node.bind("a", A, app("main", 20)));
    await().untilAsserted(() -> assertThat(rows()).hasSize(1).allMatch(this::isRunning));
    int writes = node.writes().size();
    for (int round = 0; round < 20; round++) {
      plugin.changed();
    }
    await()
        .during(Duration.ofMillis(500))
        .untilAsserted(() -> assertThat(node.writes()).hasSize(writes));
  }

  private void awaitUnits(int count) {
    await().untilAsserted(() -> assertThat(kubelet.devices()).hasSize(count));
  }

  private List<Allocation> rows() {
    return node.current().orElseThrow().allocations();
  }

  private boolean isRunning(Allocation row) {
    return row.state() == AllocationState.RUNNING;
  }

  private static Device numbered(Device card, int index) {
    return new Device(
        card.id(),
        index,
        "/dev/nvidia" + index,
        card.model(),
        card.memoryMiB(),
        card.unusableMiB(),
        card.units(),
        card.health(),
        card.healthReason());
  }

  private static ContainerRequest app(String name, int units) {
    return new ContainerRequest(name, units, Kind.APP);
  }

  private static String cardOf(ContainerAllocateResponse given) {
    return given.getEnvsMap().get("BAETYL_GPU_UUID");
  }
}
