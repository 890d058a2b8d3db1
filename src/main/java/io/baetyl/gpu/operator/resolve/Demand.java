package io.baetyl.gpu.operator.resolve;

import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfile;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What all GpuNodes together ask for: which workloads there have to be, and which labels each node
 * has. A workload is there as long as one node needs it.
 *
 * @param metrics whether some node has the metrics agent
 * @param devicePlugins those that some node needs
 * @param resources the extended resources that pods are scheduled for: those that some node shares
 *     by or has shared by until now, and with them those of all profiles; with at least one there
 *     is a scheduler
 * @param nodeLabels node name → the labels of ours that it has
 */
public record Demand(
    boolean metrics,
    SortedSet<PluginKind> devicePlugins,
    SortedSet<String> resources,
    Map<String, Map<String, String>> nodeLabels) {

  /**
   * @param labelsOf the labels of every Kubernetes node by its name
   */
  public static Demand of(
      Collection<GpuNode> gpuNodes,
      Map<String, Map<String, String>> labelsOf,
      Collection<GpuShareProfile> profiles) {
    var known = new Profiles(profiles);
    boolean metrics = false;
    var devicePlugins = new TreeSet<PluginKind>();
    var resources = new TreeSet<String>();
    var nodeLabels = new TreeMap<String, Map<String, String>>();
    for (var gpuNode : gpuNodes) {
      var name = gpuNode.getMetadata().getName();
      if (!labelsOf.containsKey(name)) {
        continue;
      }
      var inForce = InForce.of(gpuNode, labelsOf.get(name), known);
      metrics |= inForce.watched();
      inForce.plugin().ifPresent(devicePlugins::add);
      if (inForce.shared()) {
        var until = Optional.ofNullable(gpuNode.statusOrEmpty().sharingAsCounted());
        Stream.concat(until.stream(), inForce.rules().inForce().map(Rules.Named::sharing).stream())
            .forEach(sharing -> resources.add(sharing.resourceName()));
      }
      nodeLabels.put(name, inForce.nodeLabels());
    }
    if (!resources.isEmpty()) {
      profiles.forEach(profile -> resources.add(profile.specOrEmpty().resourceNameInForce()));
    }
    return new Demand(metrics, devicePlugins, resources, nodeLabels);
  }

  /**
   * The same, with the resources that are scheduled for and that some node offers still, though no
   * profile is left to share by: in this while another scheduler would place the pods that ask for
   * them, and without a decision about the card.
   *
   * @param scheduled the resources that there is a scheduler for now
   * @param offered the extended resources of which some node has some
   */
  public Demand keeping(Set<String> scheduled, Set<String> offered) {
    var kept = new TreeSet<>(resources);
    scheduled.stream().filter(offered::contains).forEach(kept::add);
    return new Demand(metrics, devicePlugins, kept, nodeLabels);
  }

  /** Whether pods that share cards have to be scheduled. */
  public boolean scheduler() {
    return !resources.isEmpty();
  }
}
