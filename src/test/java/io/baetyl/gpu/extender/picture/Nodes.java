package io.baetyl.gpu.extender.picture;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.AllocationState;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileSpec;
import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.api.v1alpha1.Placement;
import io.baetyl.gpu.api.v1alpha1.PluginState;
import io.baetyl.gpu.api.v1alpha1.PluginStatus;
import io.baetyl.gpu.api.v1alpha1.Sharing;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.ArrayList;
import java.util.List;

/** GpuNodes to test with. */
public final class Nodes {
  private Nodes() {}

  /** A node whose cards NAME-0, NAME-1 and so on have these units. */
  public static GpuNode sharing(String name, int... units) {
    return sharing(name, PluginState.SERVING, List.of(), units);
  }

  public static GpuNode sharing(
      String name, PluginState plugin, List<Allocation> allocations, int... units) {
    var devices = new ArrayList<Device>();
    for (int card = 0; card < units.length; card++) {
      devices.add(
          new Device(
              name + "-" + card,
              card,
              "/dev/nvidia" + card,
              "Tesla P4",
              256L * units[card],
              0L,
              units[card],
              Health.HEALTHY,
              null));
    }
    return node(
        name,
        new GpuNodeStatus(
            List.of(),
            1L,
            AcceleratorType.NVIDIA,
            AllocationMode.SHARED,
            "default",
            Sharing.of(GpuShareProfileSpec.EMPTY),
            null,
            AcceleratorType.NVIDIA,
            devices,
            new PluginStatus(plugin, null, null, null, null),
            allocations,
            null,
            List.of()));
  }

  public static GpuNode node(String name, GpuNodeStatus status) {
    var node = new GpuNode();
    node.setMetadata(new ObjectMetaBuilder().withName(name).build());
    node.setStatus(status);
    return node;
  }

  /** A node in the picture of which nothing is known yet, the first one there. */
  public static Node unknown(String name) {
    return new Node(name, 0);
  }

  public static Allocation allocation(String pod, String card, int units, AllocationState state) {
    return new Allocation(
        "default", pod, "main", "uid-" + pod, card, units, state, "2026-01-01T00:00:00Z");
  }

  /** The same node, which shares by other rules; by none where they are null. */
  public static GpuNode by(Sharing sharing, GpuNode node) {
    var status = node.getStatus();
    return node(
        node.getMetadata().getName(),
        new GpuNodeStatus(
            status.conditions(),
            status.observedGeneration(),
            status.accelerator(),
            status.allocation(),
            status.shareProfile(),
            sharing,
            status.summary(),
            status.detected(),
            status.devices(),
            status.plugin(),
            status.allocations(),
            status.enforcement(),
            status.components()));
  }

  public static Sharing rules(Placement placement, Integer exclusiveFromPercent) {
    return Sharing.of(
        new GpuShareProfileSpec(null, null, placement, exclusiveFromPercent, null, null));
  }
}
