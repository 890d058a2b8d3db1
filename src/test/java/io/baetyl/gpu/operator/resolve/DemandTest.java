package io.baetyl.gpu.operator.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeSpec;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfile;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileSpec;
import io.baetyl.gpu.api.v1alpha1.Sharing;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DemandTest {
  private static final Map<String, Map<String, String>> NODES =
      Map.of("one", Map.of(), "two", Map.of("baetyl-accelerator", "jetson"));

  private static GpuNode node(String name, AcceleratorType type, AllocationMode allocation) {
    var node = new GpuNode();
    node.setMetadata(new ObjectMetaBuilder().withName(name).build());
    node.setSpec(new GpuNodeSpec(type, null, allocation, null));
    return node;
  }

  private static final GpuShareProfile PROFILE = profile();

  private static GpuShareProfile profile() {
    var profile = new GpuShareProfile();
    profile.setMetadata(new ObjectMetaBuilder().withName("default").build());
    return profile;
  }

  @Test
  void nobodyNeedsAnything() {
    var demand = Demand.of(List.of(), NODES, List.of(PROFILE));

    assertThat(demand.metrics()).isFalse();
    assertThat(demand.devicePlugins()).isEmpty();
    assertThat(demand.scheduler()).isFalse();
    assertThat(demand.nodeLabels()).isEmpty();
  }

  @Test
  void oneNodeThatSharesNeedsAll() {
    var demand =
        Demand.of(
            List.of(node("one", AcceleratorType.NVIDIA, AllocationMode.SHARED)),
            NODES,
            List.of(PROFILE));

    assertThat(demand.metrics()).isTrue();
    assertThat(demand.devicePlugins())
        .containsExactly(new PluginKind(AcceleratorType.NVIDIA, AllocationMode.SHARED));
    assertThat(demand.resources()).containsExactly("baidu.com/vcuda-memory");
    assertThat(demand.nodeLabels())
        .containsEntry(
            "one",
            Map.of("gpu.baetyl.io/accelerator", "nvidia", "gpu.baetyl.io/allocation", "shared"));
  }

  @Test
  void wholeDevicesNeedNoSchedulerAndNoProfile() {
    var demand =
        Demand.of(
            List.of(node("one", AcceleratorType.NVIDIA, AllocationMode.DEVICES)),
            NODES,
            List.of(PROFILE));

    assertThat(demand.devicePlugins())
        .containsExactly(new PluginKind(AcceleratorType.NVIDIA, AllocationMode.DEVICES));
    assertThat(demand.scheduler()).isFalse();
    assertThat(demand.nodeLabels().get("one")).containsEntry("gpu.baetyl.io/allocation", "devices");
  }

  @Test
  void withoutAProfileThereIsNothingToSchedule() {
    var demand =
        Demand.of(
            List.of(node("one", AcceleratorType.NVIDIA, AllocationMode.SHARED)), NODES, List.of());

    assertThat(demand.scheduler()).isFalse();
  }

  @Test
  void aResourceThatSomeNodeOffersStillIsScheduledForWithoutAProfile() {
    var demand =
        Demand.of(
                List.of(node("one", AcceleratorType.NVIDIA, AllocationMode.SHARED)),
                NODES,
                List.of())
            .keeping(
                Set.of("baidu.com/vcuda-memory", "example.com/gone"),
                Set.of("baidu.com/vcuda-memory", "example.com/of-others"));

    assertThat(demand.resources()).containsExactly("baidu.com/vcuda-memory");
    assertThat(demand.scheduler()).isTrue();
  }

  @Test
  void aResourceThatANodeHasSharedByUntilNowIsScheduledFor() {
    var node = node("one", AcceleratorType.NVIDIA, AllocationMode.SHARED);
    node.setStatus(
        new GpuNodeStatus(
            null,
            null,
            null,
            null,
            "before",
            Sharing.of(new GpuShareProfileSpec("example.com/memory", null, null, null, null, null)),
            null,
            null,
            null,
            null,
            null,
            null,
            null));

    assertThat(Demand.of(List.of(node), NODES, List.of(PROFILE)).resources())
        .containsExactly("baidu.com/vcuda-memory", "example.com/memory");
  }

  @Test
  void nothingIsScheduledForThatNoNodeOffers() {
    var demand =
        Demand.of(List.of(), NODES, List.of())
            .keeping(Set.of("baidu.com/vcuda-memory"), Set.of("example.com/of-others"));

    assertThat(demand.scheduler()).isFalse();
  }

  @Test
  void aProfileThatNoNodeUsesYetCountsAsWell() {
    var second = profile();
    second.getMetadata().setName("second");
    second.setSpec(new GpuShareProfileSpec("example.com/memory", null, null, null, null, null));

    var demand =
        Demand.of(
            List.of(node("one", AcceleratorType.NVIDIA, AllocationMode.SHARED)),
            NODES,
            List.of(PROFILE, second));

    assertThat(demand.resources())
        .as("a pod that comes before its node must not go to a scheduler that knows no cards")
        .containsExactly("baidu.com/vcuda-memory", "example.com/memory");
  }

  @Test
  void theNodesLabelSaysTheTypeWhereTheSpecDoesNot() {
    var demand = Demand.of(List.of(node("two", null, null)), NODES, List.of());

    assertThat(demand.nodeLabels().get("two"))
        .containsEntry("gpu.baetyl.io/accelerator", "jetson")
        .containsEntry("gpu.baetyl.io/allocation", "none");
  }

  @Test
  void elseWhatWasFoundSaysIt() {
    var node = node("one", null, AllocationMode.SHARED);
    node.setStatus(
        new GpuNodeStatus(
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            AcceleratorType.NVIDIA,
            null,
            null,
            null,
            null,
            null));

    assertThat(Demand.of(List.of(node), NODES, List.of()).devicePlugins()).isNotEmpty();
  }

  @Test
  void aNodeOfUnknownTypeIsWatchedUntilSomethingIsFound() {
    var demand =
        Demand.of(List.of(node("one", null, AllocationMode.SHARED)), NODES, List.of(PROFILE));

    assertThat(demand.metrics()).isTrue();
    assertThat(demand.devicePlugins()).isEmpty();
    assertThat(demand.nodeLabels().get("one"))
        .containsEntry("gpu.baetyl.io/accelerator", "unknown");
  }

  @Test
  void aNodeWithoutAcceleratorsIsNotWatched() {
    var demand =
        Demand.of(List.of(node("two", AcceleratorType.NONE, null)), NODES, List.of(PROFILE));

    assertThat(demand.metrics()).isFalse();
  }

  @Test
  void aGpuNodeWithoutANodeNeedsNothing() {
    var demand =
        Demand.of(
            List.of(node("ghost", AcceleratorType.NVIDIA, AllocationMode.SHARED)),
            NODES,
            List.of(PROFILE));

    assertThat(demand.metrics()).isFalse();
    assertThat(demand.nodeLabels()).isEmpty();
  }
}
