package io.baetyl.gpu.operator.gpunode;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.AllocationState;
import io.baetyl.gpu.api.v1alpha1.Component;
import io.baetyl.gpu.api.v1alpha1.ComponentState;
import io.baetyl.gpu.api.v1alpha1.Condition;
import io.baetyl.gpu.api.v1alpha1.ConditionType;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.DeviceSummary;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeSpec;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfile;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileSpec;
import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.api.v1alpha1.Monitoring;
import io.baetyl.gpu.api.v1alpha1.Occupancy;
import io.baetyl.gpu.api.v1alpha1.Placement;
import io.baetyl.gpu.api.v1alpha1.PluginState;
import io.baetyl.gpu.api.v1alpha1.PluginStatus;
import io.baetyl.gpu.api.v1alpha1.Sharing;
import io.baetyl.gpu.operator.resolve.InForce;
import io.baetyl.gpu.operator.resolve.Profiles;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NodeStatusTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00.123Z");
  private static final Component RUNS = new Component("runs", ComponentState.RUNNING, null);
  private static final GpuNodeSpec SHARED =
      new GpuNodeSpec(AcceleratorType.NVIDIA, null, AllocationMode.SHARED, null);

  /** A node on which everything is as it should be; tests take something away. */
  private static final class Scene {
    private GpuNodeSpec spec = SHARED;
    private Optional<Map<String, String>> labels =
        Optional.of(Map.of("kubernetes.io/arch", "amd64"));
    private List<GpuShareProfile> profiles = List.of(profile("default"));
    private List<Condition> conditions =
        new ArrayList<>(
            List.of(
                reported(ConditionType.ACCELERATOR_FOUND, "True"),
                reported(ConditionType.RUNTIME_READY, "True")));
    private List<Device> devices =
        List.of(card("GPU-a", Health.HEALTHY), card("GPU-b", Health.HEALTHY));
    private PluginStatus plugin = new PluginStatus(PluginState.SERVING, null, null, null, null);
    private List<Allocation> allocations = List.of();
    private String sharesBy;
    private Sharing sharing;
    private Component metrics = RUNS;
    private Component devicePlugin = RUNS;
    private Component scheduler = RUNS;

    GpuNodeStatus decide() {
      var node = new GpuNode();
      node.setMetadata(new ObjectMetaBuilder().withName("edge-01").withGeneration(3L).build());
      node.setSpec(spec);
      node.setStatus(
          new GpuNodeStatus(
              conditions,
              null,
              null,
              null,
              sharesBy,
              sharing,
              null,
              null,
              devices,
              plugin,
              allocations,
              null,
              null));
      var inForce = InForce.of(node, labels.orElse(Map.of()), new Profiles(profiles));
      return NodeStatus.decide(
          new NodeFacts(
              node,
              labels,
              inForce,
              metrics,
              inForce.plugin().map(kind -> devicePlugin),
              RUNS,
              scheduler),
          NOW);
    }
  }

  private static GpuShareProfile profile(String name) {
    var profile = new GpuShareProfile();
    profile.setMetadata(new ObjectMetaBuilder().withName(name).build());
    profile.setSpec(GpuShareProfileSpec.EMPTY);
    return profile;
  }

  private static Device card(String id, Health health) {
    return new Device(id, 0, null, "Tesla P4", 7611L, 187L, 29, health, null);
  }

  private static Condition reported(ConditionType type, String status) {
    return new Condition(type.value(), status, "Reported", "as reported", null, null);
  }

  private static Condition condition(GpuNodeStatus status, ConditionType type) {
    return Condition.find(status.conditions(), type).orElseThrow();
  }

  private static void assertNotReady(Scene scene, String reason, String message) {
    var ready = condition(scene.decide(), ConditionType.READY);
    assertThat(ready.status()).isEqualTo("False");
    assertThat(ready.reason()).isEqualTo(reason);
    assertThat(ready.message()).contains(message);
  }

  @Test
  void allThatWasAskedForIsThere() {
    var status = new Scene().decide();

    assertThat(status.conditions()).allMatch(Condition::isTrue);
    assertThat(status.accelerator()).isEqualTo(AcceleratorType.NVIDIA);
    assertThat(status.allocation()).isEqualTo(AllocationMode.SHARED);
    assertThat(status.shareProfile()).isEqualTo("default");
    assertThat(status.observedGeneration()).isEqualTo(3);
    assertThat(condition(status, ConditionType.READY).lastTransitionTime())
        .isEqualTo("2026-03-01T12:00:00Z");
  }

  @Test
  void aCardThatAPodHasAloneHasNothingFree() {
    var scene = new Scene();
    scene.allocations =
        List.of(new Allocation("ns", "p", "c", "u", "GPU-a", 24, AllocationState.RUNNING, null));

    var summary = scene.decide().summary();

    assertThat(summary.units()).isEqualTo(58);
    assertThat(summary.allocatedUnits()).isEqualTo(24);
    assertThat(summary.freeUnits()).isEqualTo(29);
    assertThat(summary.devices())
        .containsExactly(
            new DeviceSummary("GPU-a", 24, 0, Occupancy.EXCLUSIVE, Health.HEALTHY),
            new DeviceSummary("GPU-b", 0, 29, Occupancy.FREE, Health.HEALTHY));
  }

  @Test
  void whatHasNotChangedKeepsItsTime() {
    var scene = new Scene();
    scene.conditions.add(new Condition("Ready", "True", "x", "x", "2026-01-01T00:00:00Z", 1L));

    assertThat(condition(scene.decide(), ConditionType.READY).lastTransitionTime())
        .isEqualTo("2026-01-01T00:00:00Z");
  }

  @Test
  void aDecisionThatWasWrittenIsMadeAgain() {
    var scene = new Scene();
    var decided = scene.decide();
    scene.conditions.addAll(decided.conditions());

    assertThat(scene.decide()).isEqualTo(decided);
  }

  @Test
  void theNodeIsNotThere() {
    var scene = new Scene();
    scene.labels = Optional.empty();

    assertNotReady(scene, "NodeNotFound", "there is no node edge-01");
    assertThat(scene.decide().components()).isEmpty();
  }

  @Test
  void theProfileIsNotThere() {
    var scene = new Scene();
    scene.profiles = List.of();

    assertNotReady(scene, "ProfileNotFound", "kind: GpuShareProfile\nmetadata:\n  name: default");
  }

  @Test
  void aMistypedProfileIsToldWithThoseThatAreThere() {
    var scene = new Scene();
    scene.spec = new GpuNodeSpec(AcceleratorType.NVIDIA, null, AllocationMode.SHARED, "defualt");
    scene.profiles = List.of(profile("default"), profile("with-the-same-resource"));

    assertNotReady(
        scene,
        "ProfileNotFound",
        "there is no GpuShareProfile defualt. Set spec.shareProfile to one that is there: default");
    assertThat(condition(scene.decide(), ConditionType.READY).message())
        .doesNotContain("with-the-same-resource");
  }

  @Test
  void noProfileSelectsTheNode() {
    var scene = new Scene();
    scene.profiles = List.of(profile("vision"));

    assertNotReady(
        scene,
        "ProfileNotFound",
        "no GpuShareProfile selects the node, and there is none named default. Set spec.shareProfile to one that is there: vision");
  }

  @Test
  void theReserveLeavesNoUnit() {
    var scene = new Scene();
    var profile = profile("default");
    profile.setSpec(new GpuShareProfileSpec(null, null, null, null, "100Gi", null));
    scene.profiles = List.of(profile);
    scene.devices =
        List.of(new Device("GPU-a", 0, null, "Tesla P4", 7611L, 7611L, 0, Health.HEALTHY, null));

    assertNotReady(
        scene,
        "NoRoomForAUnit",
        "reservedPerCard 100Gi of GpuShareProfile default leaves no unit of 256Mi on any card (GPU-a has 7611 MiB): make it smaller");
  }

  @Test
  void theRulesInForceAreToldWhole() {
    assertThat(new Scene().decide().sharing())
        .isEqualTo(new Sharing("baidu.com/vcuda-memory", "256Mi", Placement.BINPACK, 80, "0Mi"));
  }

  /** A node that has shared by units of 512 MiB, with a profile of 256 MiB in its place now. */
  private static Scene changing(int pods) {
    var scene = new Scene();
    scene.sharesBy = "before";
    scene.sharing =
        Sharing.of(new GpuShareProfileSpec("example.com/memory", "512Mi", null, null, null, null));
    scene.allocations =
        IntStream.rangeClosed(1, pods)
            .mapToObj(
                pod ->
                    new Allocation(
                        "ns", "p" + pod, "c", "u" + pod, "GPU-a", 1, AllocationState.RUNNING, null))
            .toList();
    return scene;
  }

  @Test
  void aChangeOfUnitWaitsAndSaysForWhom() {
    var scene = changing(7);

    var status = scene.decide();

    assertThat(status.shareProfile()).isEqualTo("before");
    assertThat(status.sharing()).isEqualTo(scene.sharing);
    assertThat(status.summary().units()).isEqualTo(28);
    for (var type : List.of(ConditionType.ALLOCATION_READY, ConditionType.READY)) {
      var told = condition(status, type);
      assertThat(told.isTrue()).isTrue();
      assertThat(told.reason()).isEqualTo("ChangeWaits");
      assertThat(told.message())
          .endsWith(
              "; the node is to share by GpuShareProfile default in units of 256Mi of baidu.com/vcuda-memory; 7 pods hold units of 512Mi of example.com/memory by the rules before, and it changes once they have ended: ns/p1, ns/p2, ns/p3, ns/p4, ns/p5, …");
    }
  }

  @Test
  void theChangeComesWithTheEndOfTheLastPod() {
    var status = changing(0).decide();

    assertThat(status.shareProfile()).isEqualTo("default");
    assertThat(status.sharing().unit()).isEqualTo("256Mi");
    assertThat(condition(status, ConditionType.READY).reason()).isEqualTo("Sharing");
  }

  @Test
  void withoutAProfileItIsMissedThoughTheNodeGoesOnByTheRulesBefore() {
    var scene = changing(1);
    scene.profiles = List.of();

    assertNotReady(scene, "ProfileNotFound", "there is no GpuShareProfile default");
    assertThat(scene.decide().shareProfile()).isEqualTo("before");
    assertThat(scene.decide().summary().allocatedUnits()).isEqualTo(1);
    assertThat(scene.decide().components()).hasSize(4);
  }

  @Test
  void aReserveThatHasGrownMakesNoNegativeSums() {
    var scene = new Scene();
    var profile = profile("default");
    profile.setSpec(new GpuShareProfileSpec(null, null, null, null, "7Gi", null));
    scene.profiles = List.of(profile);
    scene.sharesBy = "default";
    scene.sharing = Sharing.of(GpuShareProfileSpec.EMPTY);
    scene.allocations =
        List.of(new Allocation("ns", "p", "c", "u", "GPU-a", 20, AllocationState.RUNNING, null));

    var status = scene.decide();

    assertThat(status.sharing().reservedPerCard()).isEqualTo("7Gi");
    assertThat(status.summary().devices())
        .containsExactly(
            new DeviceSummary("GPU-a", 20, 0, Occupancy.EXCLUSIVE, Health.HEALTHY),
            new DeviceSummary("GPU-b", 0, 1, Occupancy.FREE, Health.HEALTHY));
  }

  @Test
  void otherRulesAreWrittenOnlyOntoTheStatusTheyWereDecidedFor() {
    var node = new GpuNode();
    node.setMetadata(new ObjectMetaBuilder().withName("n").withResourceVersion("7").build());
    var fresh = NodeStatus.toApply(node, new Scene().decide());
    assertThat(fresh.getMetadata().getResourceVersion()).isNull();
    assertThat(fresh.getSpec()).isNull();

    node.setStatus(fresh.getStatus());
    assertThat(NodeStatus.toApply(node, changing(0).decide()).getMetadata().getResourceVersion())
        .as("the same rules")
        .isNull();
    assertThat(NodeStatus.toApply(node, changing(1).decide()).getMetadata().getResourceVersion())
        .isEqualTo("7");
  }

  @Test
  void theProfileHasTheResourceOfAnother() {
    var scene = new Scene();
    scene.spec = new GpuNodeSpec(AcceleratorType.NVIDIA, null, AllocationMode.SHARED, "other");
    scene.profiles = List.of(profile("default"), profile("other"));

    assertNotReady(scene, "ProfileNotReady", "GpuShareProfile other has the resourceName of");
    assertThat(scene.decide().shareProfile()).isNull();
  }

  @Test
  void theReadyMessageNamesThePartThatIsNot() {
    var scene = new Scene();
    scene.metrics = new Component("metrics", ComponentState.FAILED, "the image x cannot be pulled");

    assertNotReady(
        scene, "ComponentNotReady", "MonitoringReady: metrics: the image x cannot be pulled");
  }

  @Test
  void theAgentHasNotReported() {
    var scene = new Scene();
    scene.conditions = List.of();

    assertNotReady(scene, "NotReportedYet", "AcceleratorFound: ");
    assertThat(scene.decide().summary()).isNull();
  }

  @Test
  void whatTheAgentFoundWantingIsPassedOn() {
    var scene = new Scene();
    scene.conditions =
        List.of(
            reported(ConditionType.ACCELERATOR_FOUND, "True"),
            reported(ConditionType.RUNTIME_READY, "False"));

    assertNotReady(scene, "Reported", "AllocationReady: as reported");
  }

  @Test
  void thePluginIsAboutToStop() {
    var scene = new Scene();
    scene.plugin =
        new PluginStatus(PluginState.STOPPING, "the plugin is being replaced", null, null, null);

    assertNotReady(scene, "PluginNotServing", "the plugin is being replaced");
  }

  @Test
  void aCardThatHasFailedIsNamedThoughTheNodeIsReady() {
    var scene = new Scene();
    scene.devices =
        List.of(
            card("GPU-a", Health.HEALTHY),
            new Device("GPU-b", 1, null, "Tesla P4", 7611L, 187L, 29, Health.UNHEALTHY, "XID 79"));

    var status = scene.decide();

    var ready = condition(status, ConditionType.READY);
    assertThat(ready.isTrue()).isTrue();
    assertThat(ready.message()).isEqualTo("1 of 2 cards healthy: GPU-b XID 79");
    assertThat(status.summary().devices())
        .extracting(DeviceSummary::health)
        .containsExactly(Health.HEALTHY, Health.UNHEALTHY);
  }

  @Test
  void aCardThatHasFailedIsNamedOnANodeThatIsWatchedOnly() {
    var scene = new Scene();
    scene.spec = new GpuNodeSpec(AcceleratorType.NVIDIA, null, null, null);
    scene.devices =
        List.of(
            new Device(
                "GPU-b", 1, null, "Tesla P4", 7611L, null, null, Health.UNHEALTHY, "XID 79"));

    var status = scene.decide();

    assertThat(condition(status, ConditionType.READY).message())
        .isEqualTo("0 of 1 cards healthy: GPU-b XID 79");
    assertThat(CardEvent.since(status.summary(), scene.devices)).isEmpty();
  }

  @Test
  void noCardIsHealthy() {
    var scene = new Scene();
    scene.devices = List.of(card("GPU-a", Health.UNHEALTHY));

    assertNotReady(scene, "NoHealthyDevice", "status.devices");
  }

  @Test
  void theSchedulerIsNotThere() {
    var scene = new Scene();
    scene.scheduler = new Component("scheduler", ComponentState.PENDING, "it is starting");

    assertNotReady(scene, "SchedulerStarting", "AllocationReady: scheduler: it is starting");

    scene.scheduler = new Component("scheduler", ComponentState.FAILED, "it keeps ending");

    assertNotReady(scene, "SchedulerNotReady", "AllocationReady: scheduler: it keeps ending");
  }

  @Test
  void aJetsonCannotBeShared() {
    var scene = new Scene();
    scene.spec = new GpuNodeSpec(null, null, AllocationMode.SHARED, null);
    scene.labels = Optional.of(Map.of("baetyl-accelerator", "jetson"));

    assertNotReady(scene, "TypeNotShareable", "this node's type is jetson");
    assertThat(scene.decide().allocation()).isEqualTo(AllocationMode.NONE);
  }

  @Test
  void anArmNodeCannotShareNvidiaCards() {
    var scene = new Scene();
    scene.labels = Optional.of(Map.of("kubernetes.io/arch", "arm64"));

    assertNotReady(scene, "WrongArchitecture", "and this one has arm64");
  }

  @Test
  void sharingWithoutMonitoringIsSaid() {
    var scene = new Scene();
    scene.spec =
        new GpuNodeSpec(AcceleratorType.NVIDIA, Monitoring.DISABLED, AllocationMode.SHARED, null);

    assertNotReady(scene, "MonitoringDisabled", "sharing needs monitoring");
  }

  @Test
  void whatWasNotAskedForIsNotMissed() {
    var scene = new Scene();
    scene.spec = GpuNodeSpec.EMPTY;
    scene.labels = Optional.of(Map.of("baetyl-accelerator", "jetson"));
    scene.devicePlugin = new Component("plugin", ComponentState.PENDING, "not there");

    var status = scene.decide();

    assertThat(condition(status, ConditionType.READY).isTrue()).isTrue();
    assertThat(condition(status, ConditionType.ALLOCATION_READY).reason()).isEqualTo("NotAskedFor");
    assertThat(status.components()).containsExactly(RUNS);
    assertThat(status.enforcement()).isNull();
  }

  @Test
  void whatRunsButCannotBeBroughtUpToDateIsToldAndLeavesTheRestReady() {
    var scene = new Scene();
    scene.metrics = new Component("metrics", ComponentState.RUNNING, "it is forbidden");

    var status = scene.decide();

    assertNotReady(scene, "ComponentOutdated", "metrics: it is forbidden");
    assertThat(condition(status, ConditionType.MONITORING_READY).isTrue()).isTrue();
    assertThat(condition(status, ConditionType.ALLOCATION_READY).isTrue()).isTrue();
  }

  private static Scene whole() {
    var scene = new Scene();
    scene.plugin = new PluginStatus(PluginState.SERVING, null, "nvidia.com/gpu", null, null);
    scene.spec = new GpuNodeSpec(AcceleratorType.NVIDIA, null, AllocationMode.DEVICES, null);
    return scene;
  }

  @Test
  void wholeDevicesAreCounted() {
    var scene = whole();
    scene.allocations =
        List.of(new Allocation("ns", "p", "c", "u", "GPU-a", 1, AllocationState.RUNNING, null));

    var status = scene.decide();

    assertThat(condition(status, ConditionType.READY).reason()).isEqualTo("HandingOut");
    assertThat(status.allocation()).isEqualTo(AllocationMode.DEVICES);
    assertThat(status.sharing()).isNull();
    assertThat(status.components()).extracting(Component::name).hasSize(2);
    assertThat(status.summary().units()).isEqualTo(2);
    assertThat(status.summary().allocatedUnits()).isEqualTo(1);
    assertThat(status.summary().freeUnits()).isEqualTo(1);
  }

  @Test
  void aPluginThatHandsOutInAnotherWayDoesNotServe() {
    var scene = whole();
    scene.plugin =
        new PluginStatus(PluginState.SERVING, null, "baidu.com/vcuda-memory", "256Mi", null);

    assertNotReady(scene, "PluginNotServing", "has not registered with the kubelet yet");
  }

  @Test
  void podsThatHoldDevicesOfANodeThatHandsOutNoneAreNamed() {
    var scene = whole();
    scene.spec = new GpuNodeSpec(AcceleratorType.NVIDIA, null, AllocationMode.NONE, null);
    scene.allocations =
        List.of(new Allocation("ns", "p", "c", "u", "GPU-a", 1, AllocationState.RUNNING, null));

    assertThat(condition(scene.decide(), ConditionType.ALLOCATION_READY).message())
        .endsWith("keep their devices until they end: ns/p");
  }

  @Test
  void aNodeThatIsToHaveNoneHandsNoneOut() {
    var scene = whole();
    scene.spec = new GpuNodeSpec(AcceleratorType.NONE, null, AllocationMode.DEVICES, null);

    assertNotReady(scene, "TypeNotSupported", "set spec.allocation to None");
  }

  @Test
  void podsFromBeforeAChangeKeepTheirDevicesAndAreNamed() {
    var scene = whole();
    scene.allocations =
        List.of(
            new Allocation("ns", "p", "c", "u", "GPU-a", 4, AllocationState.RUNNING, null)
                .heldBy("baidu.com/vcuda-memory"));

    var status = scene.decide();

    assertThat(condition(status, ConditionType.ALLOCATION_READY).message())
        .endsWith("; pods from before the change keep their devices until they end: ns/p");
    assertThat(status.summary().allocatedUnits()).isZero();
    assertThat(status.summary().freeUnits()).isEqualTo(1);
  }

  private static final String EARLIER_POD =
      "pods from before the change keep their devices until they end: ns/p";

  /** A node whose whole NVIDIA cards are handed out, with a pod that has one. */
  private static Scene held() {
    var scene = whole();
    scene.plugin =
        new PluginStatus(PluginState.SERVING, null, "nvidia.com/gpu", null, AcceleratorType.NVIDIA);
    scene.allocations =
        List.of(new Allocation("ns", "p", "c", "u", "GPU-a", 1, AllocationState.RUNNING, null));
    return scene;
  }

  @Test
  void podsFromBeforeAChangeAreNamedBesideWhatIsInTheWay() {
    var scene = held();
    scene.spec = new GpuNodeSpec(AcceleratorType.ASCEND, null, AllocationMode.DEVICES, null);
    scene.conditions =
        List.of(
            reported(ConditionType.ACCELERATOR_FOUND, "False"),
            reported(ConditionType.RUNTIME_READY, "True"));

    assertThat(condition(scene.decide(), ConditionType.ALLOCATION_READY).message())
        .isEqualTo("as reported; " + EARLIER_POD);
  }

  @Test
  void theTypeTellsThemApartWhereTheResourceIsTheSame() {
    var scene = held();
    assertThat(condition(scene.decide(), ConditionType.ALLOCATION_READY).message())
        .doesNotContain("before the change");

    scene.spec = new GpuNodeSpec(AcceleratorType.JETSON, null, AllocationMode.DEVICES, null);

    var told = condition(scene.decide(), ConditionType.ALLOCATION_READY);
    assertThat(told.reason()).isEqualTo("WrongArchitecture");
    assertThat(told.message()).endsWith("; " + EARLIER_POD);
  }

  @Test
  void aPluginOfAnotherTypeDoesNotServeThoughItsResourceIsTheSame() {
    var scene = held();
    scene.spec = new GpuNodeSpec(AcceleratorType.JETSON, null, AllocationMode.DEVICES, null);
    scene.labels = Optional.of(Map.of("kubernetes.io/arch", "arm64"));

    assertNotReady(scene, "PluginNotServing", "has not registered with the kubelet yet");
  }

  @Test
  void onANodeThatIsToHaveNoAcceleratorThePodIsNamedToo() {
    var scene = held();
    scene.spec = new GpuNodeSpec(AcceleratorType.NONE, null, AllocationMode.DEVICES, null);

    assertThat(condition(scene.decide(), ConditionType.ALLOCATION_READY).message())
        .endsWith("set spec.allocation to None; " + EARLIER_POD);
  }

  /** The resource of a node that is to share is known with its rules. */
  @Test
  void onANodeThatWaitsForItsProfileThePodIsNamedBelowTheYaml() {
    var scene = held();
    scene.spec = SHARED;
    scene.profiles = List.of();

    assertThat(condition(scene.decide(), ConditionType.ALLOCATION_READY).message())
        .contains("  unit: 256Mi\n# " + EARLIER_POD);
  }

  @Test
  void rulesThatComeInForceWithThisDecisionTellWhoseTheUnitsAre() {
    var scene = new Scene();
    scene.plugin =
        new PluginStatus(
            PluginState.SERVING, null, "baidu.com/vcuda-memory", "256Mi", AcceleratorType.NVIDIA);
    scene.allocations =
        List.of(new Allocation("ns", "p", "c", "u", "GPU-a", 4, AllocationState.RUNNING, null));

    assertThat(condition(scene.decide(), ConditionType.ALLOCATION_READY).message())
        .doesNotContain("before the change");
  }

  /** Its pod is not ready, and only the plugin itself knows why. */
  @Test
  void whatKeepsThePluginFromServingIsToldBeforeThatItsPodIsNotReady() {
    var scene = new Scene();
    scene.sharing = Sharing.of(GpuShareProfileSpec.EMPTY);
    scene.devicePlugin =
        new Component(
            "plugin", ComponentState.FAILED, "its pod has not been ready for two minutes");
    scene.plugin =
        new PluginStatus(
            PluginState.BLOCKED,
            "the 65536 units are more than the kubelet can be told of",
            "baidu.com/vcuda-memory",
            "64Mi",
            AcceleratorType.NVIDIA);

    assertNotReady(
        scene,
        "PluginBlocked",
        "AllocationReady: the 65536 units are more than the kubelet can be told of");
  }

  @Test
  void aProfileThatLeavesNoUnitIsToldBeforeThatThePluginIsNotReady() {
    var scene = new Scene();
    var profile = profile("default");
    profile.setSpec(new GpuShareProfileSpec(null, null, null, null, "100Gi", null));
    scene.profiles = List.of(profile);
    scene.devices =
        List.of(new Device("GPU-a", 0, null, "Tesla P4", 7611L, 7611L, 0, Health.HEALTHY, null));
    scene.devicePlugin =
        new Component(
            "plugin", ComponentState.FAILED, "its pod has not been ready for two minutes");

    assertNotReady(scene, "NoRoomForAUnit", "reservedPerCard 100Gi of GpuShareProfile default");
  }
}
