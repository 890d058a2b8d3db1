package io.baetyl.gpu.cluster.oracle;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One look at one node. The parts are read one after the other, the books first.
 *
 * @param at when it began
 * @param books what the kubelet has out of units
 * @param running the containers with a card, all of which lived at one moment after the books were
 *     read
 * @param status what the GpuNode claims; empty where it was not asked or did not answer
 */
record Observation(
    String node,
    Instant at,
    List<Booked> books,
    List<Running> running,
    Optional<StatusClaim> status) {

  /** A container, by the UID that its pod has at the kubelet. */
  record ContainerKey(String podUid, String container) {
    @Override
    public String toString() {
      return podUid + "/" + container;
    }
  }

  /** Units that the kubelet has written down for a container. */
  record Booked(ContainerKey key, Set<String> ids) {}

  /**
   * A living container that was given a card.
   *
   * @param key whose it is
   * @param pod its pod, as {@code namespace/name}
   * @param containerId by which the runtime knows it
   * @param card the card in its environment
   * @param visible what NVIDIA's runtime is told to show it: the card, or {@code void} where CDI
   *     brings it
   * @param memoryMiB the share in its environment
   */
  record Running(
      ContainerKey key,
      String pod,
      String containerId,
      String card,
      String visible,
      int memoryMiB) {}

  /**
   * What a GpuNode claims.
   *
   * @param cards by their ids
   * @param rows who holds what
   * @param exclusiveFromPercent from which part of a card on a pod has it alone
   * @param serving whether the device plugin says that it serves
   * @param unitMiB the memory of a unit; 0 where the node shares nothing
   */
  record StatusClaim(
      Map<String, Card> cards,
      List<Row> rows,
      int exclusiveFromPercent,
      boolean serving,
      int unitMiB) {}

  /** A card, with its size in units and MiB. */
  record Card(int units, int memoryMiB) {}

  /** A container's share by the status; the UID is that of the API server. */
  record Row(String pod, String uid, String container, String card, int units, String state) {}
}
