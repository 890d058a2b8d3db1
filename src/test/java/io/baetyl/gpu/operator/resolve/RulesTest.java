package io.baetyl.gpu.operator.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.AllocationState;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeSpec;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfile;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileSpec;
import io.baetyl.gpu.api.v1alpha1.Placement;
import io.baetyl.gpu.api.v1alpha1.PluginState;
import io.baetyl.gpu.api.v1alpha1.PluginStatus;
import io.baetyl.gpu.api.v1alpha1.Sharing;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RulesTest {
  private static final Allocation ROW =
      new Allocation("ns", "p", "c", "u", "GPU-a", 6, AllocationState.RUNNING, null);
  private static final GpuShareProfile HALVES = profile("default", null, "512Mi");

  private static GpuShareProfile profile(String name, String resource, String unit) {
    return profile(name, new GpuShareProfileSpec(resource, unit, null, null, null, null));
  }

  private static GpuShareProfile profile(String name, GpuShareProfileSpec spec) {
    var profile = new GpuShareProfile();
    profile.setMetadata(new ObjectMetaBuilder().withName(name).build());
    profile.setSpec(spec);
    return profile;
  }

  private static GpuNodeStatus sharing(GpuShareProfile profile, Allocation... held) {
    return status(profile.getMetadata().getName(), Sharing.of(profile.getSpec()), held);
  }

  private static GpuNodeStatus status(String profile, Sharing sharing, Allocation... held) {
    return status(profile, sharing, null, held);
  }

  private static GpuNodeStatus status(
      String profile, Sharing sharing, PluginStatus plugin, Allocation... held) {
    return new GpuNodeStatus(
        null,
        null,
        null,
        AllocationMode.SHARED,
        profile,
        sharing,
        null,
        null,
        null,
        plugin,
        List.of(held),
        null,
        null);
  }

  private static Rules.Named named(GpuShareProfile profile) {
    return Rules.Named.of(profile);
  }

  @Test
  void nothingLeftOut() {
    var rules = Rules.of(GpuNodeStatus.EMPTY, Optional.of(profile("a", GpuShareProfileSpec.EMPTY)));

    assertThat(rules.inForce())
        .contains(
            new Rules.Named(
                "a", new Sharing("baidu.com/vcuda-memory", "256Mi", Placement.BINPACK, 80, "0Mi")));
    assertThat(rules.next()).isEmpty();
  }

  @Test
  void anotherUnitWaitsForThePodsThatHoldUnits() {
    var quarters = profile("default", null, "256Mi");

    var waiting = Rules.of(sharing(HALVES, ROW), Optional.of(quarters));

    assertThat(waiting.inForce()).contains(named(HALVES));
    assertThat(waiting.next()).contains(named(quarters));

    var ended = Rules.of(sharing(HALVES), Optional.of(quarters));

    assertThat(ended.inForce()).contains(named(quarters));
    assertThat(ended.next()).isEmpty();
  }

  /** Its first row was under way when the change was decided. */
  @Test
  void aChangeThatHasMetAPodIsTakenBack() {
    var quarters = profile("default", null, "256Mi");

    var rules =
        Rules.of(counting(Sharing.of(quarters.getSpec()), "512Mi", ROW), Optional.of(quarters));

    assertThat(rules.inForce()).contains(named(HALVES));
    assertThat(rules.next()).contains(named(quarters));
    assertThat(
            Rules.of(counting(Sharing.of(quarters.getSpec()), "512Mi"), Optional.of(quarters))
                .inForce())
        .as("nothing is held")
        .contains(named(quarters));
  }

  @Test
  void theDevicePluginKnowsTheUnitWhereTheRulesAreGone() {
    var quarters = profile("default", null, "256Mi");

    var rules = Rules.of(counting(null, "512Mi", ROW), Optional.of(quarters));

    assertThat(rules.inForce().orElseThrow().sharing()).isEqualTo(Sharing.of(HALVES.getSpec()));
    assertThat(rules.next()).contains(named(quarters));
  }

  private static GpuNodeStatus counting(Sharing sharing, String unit, Allocation... held) {
    return status(
        "default",
        sharing,
        new PluginStatus(PluginState.SERVING, null, "baidu.com/vcuda-memory", unit, null),
        held);
  }

  @Test
  void soDoesAnotherResource() {
    var other = profile("other", "example.com/memory", "512Mi");

    var rules = Rules.of(sharing(HALVES, ROW), Optional.of(other));

    assertThat(rules.inForce()).contains(named(HALVES));
    assertThat(rules.next()).contains(named(other));
  }

  @Test
  void allOfTheRulesWait() {
    var other =
        profile(
            "default", new GpuShareProfileSpec(null, "256Mi", Placement.SPREAD, 50, "1Gi", null));

    assertThat(Rules.of(sharing(HALVES, ROW), Optional.of(other)).inForce())
        .contains(named(HALVES));
  }

  @Test
  void withoutAProfileThoseUntilNowStayAsLongAsPodsHoldUnits() {
    assertThat(Rules.of(sharing(HALVES, ROW), Optional.empty()))
        .isEqualTo(new Rules(Optional.of(named(HALVES)), Optional.empty()));
    assertThat(Rules.of(sharing(HALVES), Optional.empty())).isEqualTo(Rules.NONE);
  }

  @Test
  void whatDoesNotChangeAUnitChangesAtOnce() {
    var changed =
        profile(
            "default", new GpuShareProfileSpec(null, "512Mi", Placement.SPREAD, 50, "1Gi", null));

    var rules = Rules.of(sharing(HALVES, ROW), Optional.of(changed));

    assertThat(rules.inForce()).contains(named(changed));
    assertThat(rules.next()).isEmpty();
  }

  @Test
  void aUnitInOtherWordsIsTheSame() {
    var one = profile("default", null, "1Gi");
    var same = profile("default", null, "1024Mi");

    assertThat(Rules.of(sharing(one, ROW), Optional.of(same)).next()).isEmpty();
  }

  @Test
  void whereAnEarlierVersionHasSaidNoRulesTheProfileCounts() {
    var status = status("default", null, ROW);

    assertThat(Rules.of(status, Optional.of(HALVES)).inForce()).contains(named(HALVES));
  }

  @Test
  void aNodeThatStopsSharingRemembersTheRulesForItsReturn() {
    var node = new GpuNode();
    node.setMetadata(new ObjectMetaBuilder().withName("edge-01").build());
    node.setSpec(new GpuNodeSpec(AcceleratorType.NVIDIA, null, AllocationMode.NONE, null));
    node.setStatus(sharing(HALVES, ROW));

    var inForce = InForce.of(node, Map.of(), new Profiles(List.of(HALVES)));

    assertThat(inForce.shared()).isFalse();
    assertThat(inForce.rules().inForce()).contains(named(HALVES));

    node.setStatus(sharing(HALVES));

    assertThat(InForce.of(node, Map.of(), new Profiles(List.of(HALVES))).rules())
        .isEqualTo(Rules.NONE);
  }

  @Test
  void aProfileMadeAnewWithAnotherUnitHasNoNodesYet() {
    var anew = profile("default", null, "256Mi");
    var waiting = Rules.of(sharing(HALVES, ROW), Optional.of(anew));

    assertThat(waiting.countBy(anew)).isFalse();
    assertThat(waiting.countBy(HALVES)).isTrue();
    assertThat(waiting.countBy(profile("other", null, "512Mi"))).isFalse();
  }
}
