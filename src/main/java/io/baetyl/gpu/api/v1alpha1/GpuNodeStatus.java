package io.baetyl.gpu.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Optional;

/**
 * What is true on a node. Three writers share it by server-side apply, each with fields of its own:
 * the metrics agent {@code detected}, {@code devices} and the conditions AcceleratorFound and
 * RuntimeReady, the device plugin {@code plugin} and {@code allocations}, the operator everything
 * else. What is absent is null, but for the lists, which are empty.
 *
 * @param conditions at most one of each {@link ConditionType}
 * @param observedGeneration the generation of the spec that the operator has acted on
 * @param accelerator the accelerator type in force
 * @param allocation the allocation mode in force
 * @param shareProfile the name of the profile in force; absent where nothing is shared and no pod
 *     holds units
 * @param sharing the rules of that profile as they are in force; absent where nothing is shared and
 *     no pod holds units
 * @param summary the sums over all cards
 * @param detected the accelerator type that the metrics agent found on the node; absent where it
 *     found none
 * @param devices the accelerators found on the node
 * @param plugin whether the device plugin serves
 * @param allocations which container holds how much of which device
 * @param enforcement what keeps a container within its units
 * @param components the workloads that serve this node
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record GpuNodeStatus(
    List<Condition> conditions,
    Long observedGeneration,
    AcceleratorType accelerator,
    AllocationMode allocation,
    String shareProfile,
    Sharing sharing,
    Summary summary,
    AcceleratorType detected,
    List<Device> devices,
    PluginStatus plugin,
    List<Allocation> allocations,
    Enforcement enforcement,
    List<Component> components) {
  public static final GpuNodeStatus EMPTY =
      new GpuNodeStatus(
          null, null, null, null, null, null, null, null, null, null, null, null, null);

  /** A status with the fields of the metrics agent alone. */
  public static GpuNodeStatus ofMetricsAgent(
      List<Condition> conditions, AcceleratorType detected, List<Device> devices) {
    return new GpuNodeStatus(
        conditions, null, null, null, null, null, null, detected, devices, null, null, null, null);
  }

  /** A status with the fields of the device plugin alone. */
  public static GpuNodeStatus ofDevicePlugin(PluginStatus plugin, List<Allocation> allocations) {
    return new GpuNodeStatus(
        null, null, null, null, null, null, null, null, null, plugin, allocations, null, null);
  }

  /**
   * The rules in the units in which the device plugin counts. They are those in force, but for the
   * moment in which a change meets a pod that has come just before: the plugin keeps the old units
   * then, until the operator has taken the change back.
   *
   * @return null where nothing is shared
   */
  public Sharing sharingAsCounted() {
    return sharing == null ? null : pluginThatCounts().map(sharing::countedLike).orElse(sharing);
  }

  /** The device plugin's account of itself; empty before it says in which units it counts. */
  public Optional<PluginStatus> pluginThatCounts() {
    return Optional.ofNullable(plugin).filter(account -> account.unit() != null);
  }

  /** The rows of what is held by a resource. */
  public List<Allocation> heldBy(String resource) {
    return allocations.stream()
        .filter(row -> resourceOf(row).map(resource::equals).orElse(true))
        .toList();
  }

  /**
   * The rows of what is held by other resources than one, or by it of other devices: several types
   * of accelerator can have the same resource.
   */
  public List<Allocation> heldByOthersThan(String resource, AcceleratorType type) {
    return allocations.stream()
        .filter(
            row ->
                resourceOf(row).filter(by -> !by.equals(resource)).isPresent()
                    || row.resourceName() == null && isPluginOfOtherThan(type))
        .toList();
  }

  /** Whether the device plugin that has written the account hands out devices of another type. */
  public boolean isPluginOfOtherThan(AcceleratorType type) {
    return plugin != null && plugin.accelerator() != null && plugin.accelerator() != type;
  }

  /** The extended resource by which a row is held; empty where an earlier version wrote it. */
  private Optional<String> resourceOf(Allocation row) {
    return Optional.ofNullable(row.resourceName())
        .or(() -> Optional.ofNullable(plugin).map(PluginStatus::resourceName));
  }

  /**
   * An empty list reads back from the API server as an absent one, so both are the same value here.
   */
  public GpuNodeStatus {
    conditions = conditions == null ? List.of() : List.copyOf(conditions);
    devices = devices == null ? List.of() : List.copyOf(devices);
    allocations = allocations == null ? List.of() : List.copyOf(allocations);
    components = components == null ? List.of() : List.copyOf(components);
  }
}
