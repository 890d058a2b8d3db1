package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.Condition;
import io.baetyl.gpu.api.v1alpha1.ConditionType;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeSpec;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfile;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileSpec;
import io.baetyl.gpu.cluster.oracle.WatchedByOracle;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** A node is to share by units of another size while pods hold units. Two cards of 4096 MiB. */
@Order(3)
@WatchedByOracle
class ProfileChangeClusterIT {
  private static final String NODE = "edge-4g";
  private static final String OTHER = "profile-change";
  private static final String OTHER_RESOURCE = "example.com/vcuda-memory";
  private static TestCluster cluster;

  @BeforeAll
  static void cluster() {
    cluster = TestCluster.withDefaultNodes();
  }

  @AfterEach
  void shareByTheUsualProfile() {
    nameProfile(null);
    cluster.client().resources(GpuShareProfile.class).withName(OTHER).delete();
    replaceDefault(Sharing.BINPACK);
    await("the node shares by the usual units")
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              assertThat(node().getStatus().shareProfile()).isEqualTo("default");
              assertThat(node().getStatus().sharing().unit()).isEqualTo("256Mi");
            });
  }

  @Test
  void aProfileMadeAnewWithAnotherUnitWaitsForThePods() {
    var halves = unit(null, "512Mi");
    replaceDefault(halves);
    try (var sharing = Sharing.of(cluster, halves, NODE)) {
      assertThat(sharing.allocatable(NODE)).isEqualTo(16);
      sharing.run(SharingPod.of("old", 6));
      long toldBefore = changesTold();

      replaceDefault(Sharing.BINPACK);
      awaitWaiting(
          "is to share by GpuShareProfile default in units of 256Mi of baidu.com/vcuda-memory;"
              + " 1 pod holds units of 512Mi of baidu.com/vcuda-memory");
      sharing.create(SharingPod.of("ten", 10));
      sharing.create(SharingPod.of("two", 2));

      sharing.awaitRefusal(
          "ten", "no card has 10 units of baidu.com/vcuda-memory (largest card: 8)");
      sharing.awaitRunning("two");
      assertThat(memoryByCard(sharing, "old", "two").values()).containsOnly(4096);
      assertThat(changesTold()).isEqualTo(toldBefore + 1);

      end(sharing, "old", "two");
      awaitUnit("256Mi");
      sharing.awaitRunning("ten");
      assertThat(sharing.inside(sharing.pod("ten"), "main").orElseThrow().memoryMiB())
          .isEqualTo("2560");
      awaitAllocatable(sharing, SharingPod.RESOURCE, 32);
    }
  }

  @Test
  void aGpuNodeThatNamesAnotherProfileWaitsForThePods() {
    try (var sharing = Sharing.of(cluster, Sharing.BINPACK, NODE)) {
      sharing.run(SharingPod.of("old", 6), SharingPod.of("alone", 16));
      apply(OTHER, unit(OTHER_RESOURCE, "512Mi"));

      nameProfile(OTHER);
      awaitWaiting(
          "is to share by GpuShareProfile profile-change in units of 512Mi of"
              + " example.com/vcuda-memory; 2 pods hold units of 256Mi of baidu.com/vcuda-memory");
      sharing.create(SharingPod.of("new", 2).of(OTHER_RESOURCE));
      sharing.create(SharingPod.of("eleven", 11));
      sharing.create(SharingPod.of("ten", 10));

      sharing.awaitRunning("ten");
      sharing.awaitRefusal("eleven", "Insufficient baidu.com/vcuda-memory");
      assertThat(sharing.pod("new").getSpec().getNodeName()).isNull();
      assertThat(memoryByCard(sharing, "old", "alone", "ten").values()).containsOnly(4096);

      end(sharing, "eleven", "old", "alone", "ten");
      awaitUnit("512Mi");
      sharing.awaitRunning("new");
      assertThat(sharing.inside(sharing.pod("new"), "main").orElseThrow().memoryMiB())
          .isEqualTo("1024");
      awaitAllocatable(sharing, OTHER_RESOURCE, 16);
      assertThat(node().getStatus().shareProfile()).isEqualTo(OTHER);
    }
  }

  /** Their rows come a moment after them, when the operator may have decided on the change. */
  @Test
  void podsThatComeAsTheLastOneEndsAreCountedInOneUnit() {
    var halves = unit(null, "512Mi");
    replaceDefault(halves);
    try (var sharing = Sharing.of(cluster, halves, NODE)) {
      sharing.run(SharingPod.of("old", 5).gracePeriodSeconds(0));
      replaceDefault(Sharing.BINPACK);
      awaitWaiting("1 pod holds units of 512Mi");

      sharing.delete("old");
      var names = IntStream.range(0, 4).mapToObj(number -> "new-" + number).toList();
      names.parallelStream().forEach(name -> sharing.create(SharingPod.of(name, 6)));
      await("as many run as there is memory for")
          .atMost(Sharing.POD_START)
          .until(() -> runAsMemoryAllows(sharing, names));
      // A new process knows the unit from its account alone.
      Components.kill(sharing.client(), Components.DEVICE_PLUGIN);

      await("all say the same unit, and as many run")
          .atMost(Duration.ofSeconds(15))
          .until(
              () ->
                  node().getStatus().plugin().unit().equals(node().getStatus().sharing().unit())
                      && runAsMemoryAllows(sharing, names));
      assertThat(phases(sharing, names)).doesNotContain("Failed");
      assertThat(memoryByCard(sharing, running(sharing, names)).values())
          .allMatch(mib -> mib <= 4096);
    }
  }

  /** Six units each, on two cards of 4096 MiB. */
  private static boolean runAsMemoryAllows(Sharing sharing, List<String> pods) {
    int room = node().getStatus().plugin().unit().equals("512Mi") ? 2 : 4;
    return running(sharing, pods).length == room;
  }

  private static String[] running(Sharing sharing, List<String> pods) {
    return pods.stream()
        .filter(pod -> sharing.pod(pod).getStatus().getPhase().equals("Running"))
        .toArray(String[]::new);
  }

  private static List<String> phases(Sharing sharing, List<String> pods) {
    return pods.stream().map(pod -> sharing.pod(pod).getStatus().getPhase()).toList();
  }

  private static void end(Sharing sharing, String... pods) {
    for (var pod : pods) {
      sharing.delete(pod);
    }
    for (var pod : pods) {
      sharing.awaitGone(pod);
    }
  }

  private static GpuNode node() {
    return cluster.client().resources(GpuNode.class).withName(NODE).get();
  }

  private static GpuShareProfileSpec unit(String resource, String unit) {
    return new GpuShareProfileSpec(resource, unit, null, null, null, null);
  }

  private static void nameProfile(String profile) {
    var node = new GpuNode();
    node.setMetadata(new ObjectMetaBuilder().withName(NODE).build());
    node.setSpec(new GpuNodeSpec(AcceleratorType.NVIDIA, null, AllocationMode.SHARED, profile));
    cluster.client().resource(node).serverSideApply();
  }

  private static void replaceDefault(GpuShareProfileSpec spec) {
    var profiles = cluster.client().resources(GpuShareProfile.class);
    profiles.withName(GpuShareProfile.DEFAULT_NAME).delete();
    await().until(() -> profiles.withName(GpuShareProfile.DEFAULT_NAME).get() == null);
    apply(GpuShareProfile.DEFAULT_NAME, spec);
  }

  private static void apply(String name, GpuShareProfileSpec spec) {
    var profile = new GpuShareProfile();
    profile.setMetadata(new ObjectMetaBuilder().withName(name).build());
    profile.setSpec(spec);
    cluster.client().resource(profile).serverSideApply();
  }

  private static void awaitWaiting(String message) {
    await("the GpuNode says that a change waits")
        .atMost(Duration.ofSeconds(15))
        .untilAsserted(
            () -> {
              var conditions = node().getStatus().conditions();
              for (var type : List.of(ConditionType.ALLOCATION_READY, ConditionType.READY)) {
                assertThat(Condition.find(conditions, type))
                    .hasValueSatisfying(
                        told -> {
                          assertThat(told.isTrue()).isTrue();
                          assertThat(told.reason()).isEqualTo("ChangeWaits");
                          assertThat(told.message()).contains(message);
                        });
              }
            });
  }

  private static void awaitUnit(String unit) {
    var began = Instant.now();
    await("the node shares by units of " + unit)
        .atMost(Duration.ofSeconds(10))
        .pollInterval(Duration.ofMillis(50))
        .until(() -> unit.equals(node().getStatus().sharing().unit()));
    System.out.printf(
        "units of %s came %d ms after the last pod was gone%n",
        unit, Duration.between(began, Instant.now()).toMillis());
  }

  private static void awaitAllocatable(Sharing sharing, String resource, int units) {
    await("kubelet has %d of %s".formatted(units, resource))
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () ->
                assertThat(
                        sharing.client().nodes().withName(NODE).get().getStatus().getAllocatable())
                    .hasEntrySatisfying(
                        resource,
                        quantity ->
                            assertThat(quantity.getNumericalAmount().intValue()).isEqualTo(units)));
  }

  private static long changesTold() {
    return cluster
        .client()
        .v1()
        .events()
        .inNamespace("default")
        .withField("involvedObject.uid", node().getMetadata().getUid())
        .list()
        .getItems()
        .stream()
        .filter(event -> event.getReason().equals("ChangeWaits"))
        .count();
  }

  /** What the containers of these pods have been told, by card. */
  private static Map<String, Integer> memoryByCard(Sharing sharing, String... pods) {
    var memory = new HashMap<String, Integer>();
    for (var pod : pods) {
      var view = sharing.inside(sharing.pod(pod), "main").orElseThrow();
      memory.merge(view.card(), Integer.parseInt(view.memoryMiB()), Integer::sum);
    }
    return memory;
  }
}
