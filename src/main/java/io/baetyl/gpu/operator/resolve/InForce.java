package io.baetyl.gpu.operator.resolve;

import io.baetyl.gpu.accelerator.Vendors;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.WellKnownLabels;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What a GpuNode comes to once its absent fields are filled in from the node and the profiles.
 *
 * @param type the accelerator type; empty while it is neither named nor found
 * @param allocation how accelerators are handed out; None while the type does not allow what was
 *     asked for
 * @param profile what the node is to share by; only with Shared
 * @param rules what it shares by; without Shared, what it has shared by and pods hold units by
 */
public record InForce(
    Optional<AcceleratorType> type,
    AllocationMode allocation,
    Profiles.Choice profile,
    Rules rules) {
  private static final String UNKNOWN = "unknown";

  /**
   * @param nodeLabels the labels of the Kubernetes node; empty where it is not there
   */
  public static InForce of(GpuNode gpuNode, Map<String, String> nodeLabels, Profiles profiles) {
    var spec = gpuNode.specOrEmpty();
    var type =
        Optional.ofNullable(spec.accelerator())
            .or(
                () ->
                    Optional.ofNullable(
                        AcceleratorType.of(nodeLabels.get(WellKnownLabels.BAETYL_ACCELERATOR))))
            .or(() -> Optional.ofNullable(gpuNode.statusOrEmpty().detected()));
    var allocation = type.map(found -> inForce(spec.allocationInForce(), found));
    boolean shared = allocation.filter(AllocationMode.SHARED::equals).isPresent();
    var choice = shared ? profiles.choose(spec.shareProfile(), nodeLabels) : Profiles.Choice.NONE;
    return new InForce(
        type,
        allocation.orElse(AllocationMode.NONE),
        choice,
        Rules.of(gpuNode.statusOrEmpty(), choice.profile()));
  }

  /** What is asked for, where the type allows it. */
  private static AllocationMode inForce(AllocationMode asked, AcceleratorType type) {
    return Vendors.allows(type, asked) ? asked : AllocationMode.NONE;
  }

  /** The device plugin of the node; empty where nothing is handed out. */
  public Optional<PluginKind> plugin() {
    return allocation == AllocationMode.NONE
        ? Optional.empty()
        : type.map(known -> new PluginKind(known, allocation));
  }

  public boolean shared() {
    return allocation == AllocationMode.SHARED;
  }

  /** Whether the metrics agent runs on the node: always, but where there is nothing to look for. */
  public boolean watched() {
    return type.filter(AcceleratorType.NONE::equals).isEmpty();
  }

  /** The labels that bring the agents to the node. */
  public Map<String, String> nodeLabels() {
    return Map.of(
        WellKnownLabels.ACCELERATOR,
        type.map(AcceleratorType::value).orElse(UNKNOWN),
        WellKnownLabels.ALLOCATION,
        allocation.value().toLowerCase(Locale.ROOT));
  }
}
