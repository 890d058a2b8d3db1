package io.baetyl.gpu.operator.resolve;

import io.baetyl.gpu.api.v1alpha1.GpuNodeStatus;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfile;
import io.baetyl.gpu.api.v1alpha1.Sharing;
import io.baetyl.gpu.model.ShareRules;
import java.util.Optional;

/**
 * The rules by which a node shares. What a pod holds is known as a number of units, so the size and
 * the name of a unit stay what they are until no pod holds any: counted in other units, the memory
 * that a pod was promised would be promised once more.
 *
 * @param inForce what the node shares by; empty where it shares nothing
 * @param next what it is to share by once no pod holds units any more; empty where that is what it
 *     shares by already
 */
public record Rules(Optional<Named> inForce, Optional<Named> next) {
  public static final Rules NONE = new Rules(Optional.empty(), Optional.empty());

  /**
   * Rules and where they are from.
   *
   * @param profile the name of the profile that they are from, which may be another one by now
   */
  public record Named(String profile, Sharing sharing) {
    static Named of(GpuShareProfile profile) {
      return new Named(profile.getMetadata().getName(), Sharing.of(profile.specOrEmpty()));
    }

    private boolean countsLike(Sharing other) {
      return ShareRules.of(sharing).countLike(ShareRules.of(other));
    }
  }

  /**
   * @param status of the node, with the rules until now and with who holds units
   * @param chosen the profile to share by; empty where there is none
   */
  static Rules of(GpuNodeStatus status, Optional<GpuShareProfile> chosen) {
    var wanted = chosen.map(Named::of);
    var before = counted(status, wanted);
    boolean changes =
        before == null
            || status.heldBy(before.resourceName()).isEmpty()
            || wanted.filter(named -> named.countsLike(before)).isPresent();
    return changes
        ? new Rules(wanted, Optional.empty())
        : new Rules(Optional.of(new Named(status.shareProfile(), before)), wanted);
  }

  /** By which rules the pods of the node hold units; the device plugin has the last word. */
  private static Sharing counted(GpuNodeStatus status, Optional<Named> wanted) {
    return status.sharing() != null
        ? status.sharingAsCounted()
        : status
            .pluginThatCounts()
            .flatMap(plugin -> wanted.map(named -> named.sharing().countedLike(plugin)))
            .orElse(null);
  }

  /** Whether the units in force are those of a profile, as it is now. */
  public boolean countBy(GpuShareProfile profile) {
    return inForce
        .filter(named -> profile.getMetadata().getName().equals(named.profile()))
        .filter(named -> named.countsLike(Sharing.of(profile.specOrEmpty())))
        .isPresent();
  }
}
