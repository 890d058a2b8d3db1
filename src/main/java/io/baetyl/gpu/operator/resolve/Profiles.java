package io.baetyl.gpu.operator.resolve;

import io.baetyl.gpu.api.v1alpha1.GpuShareProfile;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** All profiles of the cluster, and which of them a node shares by. */
public final class Profiles {
  private final List<GpuShareProfile> byName;

  public Profiles(Collection<GpuShareProfile> profiles) {
    this.byName = profiles.stream().sorted(Comparator.comparing(Profiles::name)).toList();
  }

  /**
   * What a node shares by.
   *
   * @param name the profile that is meant, also where it is not there; null where none is
   * @param profile the profile, where it is there and may be used
   * @param rival the profile that has the same resource name and was there before; null where there
   *     is none
   * @param usable the names of all profiles that may be used
   */
  public record Choice(
      String name, Optional<GpuShareProfile> profile, String rival, List<String> usable) {
    public static final Choice NONE = new Choice(null, Optional.empty(), null, List.of());
  }

  /**
   * The profile of a node: the one that it names, else the first by name whose nodeSelector matches
   * and that may be used, else the one named default. So a new profile that cannot be used takes no
   * node from the one that is.
   */
  public Choice choose(String named, Map<String, String> nodeLabels) {
    var name =
        named != null
            ? named
            : byName.stream()
                .filter(profile -> selects(profile, nodeLabels) && rivalOf(profile).isEmpty())
                .map(Profiles::name)
                .findFirst()
                .orElse(GpuShareProfile.DEFAULT_NAME);
    var profile = byName.stream().filter(candidate -> name(candidate).equals(name)).findFirst();
    var rival = profile.flatMap(this::rivalOf).map(Profiles::name).orElse(null);
    var usable =
        byName.stream()
            .filter(candidate -> rivalOf(candidate).isEmpty())
            .map(Profiles::name)
            .toList();
    return new Choice(name, rival == null ? profile : Optional.empty(), rival, usable);
  }

  private static boolean selects(GpuShareProfile profile, Map<String, String> nodeLabels) {
    var selector = profile.specOrEmpty().nodeSelector();
    return selector != null && selector.matches(nodeLabels);
  }

  /** The older profile with the same resource name; a resource can be counted in one way only. */
  public Optional<GpuShareProfile> rivalOf(GpuShareProfile profile) {
    var resource = profile.specOrEmpty().resourceNameInForce();
    return byName.stream()
        .filter(other -> other.specOrEmpty().resourceNameInForce().equals(resource))
        .min(Comparator.comparing(Profiles::created).thenComparing(Profiles::name))
        .filter(oldest -> !name(oldest).equals(name(profile)));
  }

  private static String created(GpuShareProfile profile) {
    var created = profile.getMetadata().getCreationTimestamp();
    return created == null ? "" : created;
  }

  private static String name(GpuShareProfile profile) {
    return profile.getMetadata().getName();
  }
}
