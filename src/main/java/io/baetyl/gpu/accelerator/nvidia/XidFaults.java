package io.baetyl.gpu.accelerator.nvidia;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the errors that the driver reports by number say of a card. Most are the fault of a moment,
 * after which a card that goes on answering is well again; after some it needs a reset, until which
 * it is not to be used although it answers.
 */
final class XidFaults {
  /**
   * Those that an application causes, not its card, as NVIDIA's device plugin passes over them:
   * exception of its own, page fault, stopped channel, clean-up, video processor, time-out.
   */
  private static final Set<Integer> OF_APPLICATIONS = Set.of(13, 31, 43, 45, 68, 109);

  /** Those after which NVIDIA's catalogue of Xids asks for a reset of the GPU or the machine. */
  private static final Set<Integer> RESET_NEEDED =
      Set.of(46, 48, 62, 64, 79, 95, 119, 120, 136, 140, 143);

  private final Map<String, Integer> awaitingReset = new ConcurrentHashMap<>();

  /**
   * Why a card cannot be used after what it has reported, in a sentence; empty where it can.
   *
   * @param reported since the last call
   */
  Optional<String> after(String uuid, List<Integer> reported) {
    var ofTheCard = reported.stream().filter(xid -> !OF_APPLICATIONS.contains(xid)).toList();
    ofTheCard.stream()
        .filter(RESET_NEEDED::contains)
        .findFirst()
        .ifPresent(xid -> awaitingReset.putIfAbsent(uuid, xid));
    return Optional.ofNullable(awaitingReset.get(uuid))
        .map(
            xid ->
                "The driver has reported Xid %d, after which the card needs a reset: look for Xid in the node's kernel log, end the card's processes, reboot the node"
                    .formatted(xid))
        .or(
            () ->
                ofTheCard.stream()
                    .findFirst()
                    .map(
                        xid ->
                            "The driver has reported Xid %d: look for Xid in the node's kernel log; the card is used again when it has worked for a while"
                                .formatted(xid)));
  }

  /** The card is lost, or its driver is unloaded: when it is there again, it has been reset. */
  void forget(String uuid) {
    awaitingReset.remove(uuid);
  }
}
