package io.baetyl.gpu.api.v1alpha1;

import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;

/** How cards are shared by memory on the nodes that follow this profile. Cluster-scoped. */
@Group(GpuNode.GROUP)
@Version(GpuNode.VERSION)
@Singular("gpushareprofile")
@Plural("gpushareprofiles")
@ShortNames("gsp")
public final class GpuShareProfile
    extends CustomResource<GpuShareProfileSpec, GpuShareProfileStatus> {
  /** The profile of nodes that name none and that no profile's nodeSelector matches. */
  public static final String DEFAULT_NAME = "default";

  /** The spec, or an empty one: an object without a spec asks for the defaults. */
  public GpuShareProfileSpec specOrEmpty() {
    return getSpec() == null ? GpuShareProfileSpec.EMPTY : getSpec();
  }

  /** The status, or an empty one where nothing has been reported yet. */
  public GpuShareProfileStatus statusOrEmpty() {
    return getStatus() == null ? GpuShareProfileStatus.EMPTY : getStatus();
  }
}
