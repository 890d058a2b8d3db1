package io.baetyl.gpu.deviceplugin.allocation;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;

/** What can be told from the ledger to kubelet and status, and what has to be put into it. */
public interface Books<S extends Inventory> {

  /** The units that the kubelet is to be told of. */
  List<Unit> units(S inventory, Collection<NodePod> pods);

  /**
   * The status's account of who holds what.
   *
   * @param before the rows until now, which say since when a state lasts
   */
  List<Allocation> rows(
      S inventory, Collection<NodePod> pods, List<Allocation> before, Instant now);

  /** Whether a pod that was sent here for units has not got them yet. */
  boolean someExpected(S inventory, Collection<NodePod> pods);

  /** Corrects what was said of pods and is not what has happened. */
  void correct(Collection<NodePod> pods);

  /**
   * Takes over what an earlier process of this plugin has reported and the kubelet does not tell.
   *
   * @param reported the rows of the earlier process
   * @param alive whether a pod has processes, by {@link NodePod#kubeletUid}
   */
  void takeOver(
      S inventory, List<Allocation> reported, Collection<NodePod> pods, Predicate<String> alive);
}
