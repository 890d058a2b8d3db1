package io.baetyl.gpu.api.v1alpha1;

import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;

/** What one Kubernetes node's accelerators are for. Cluster-scoped; its name is the node's name. */
@Group(GpuNode.GROUP)
@Version(GpuNode.VERSION)
@Singular("gpunode")
@Plural("gpunodes")
@ShortNames("gn")
public final class GpuNode extends CustomResource<GpuNodeSpec, GpuNodeStatus> {
  public static final String GROUP = "gpu.baetyl.io";
  public static final String VERSION = "v1alpha1";

  /** The status, or an empty one where nothing has been reported yet. */
  public GpuNodeStatus statusOrEmpty() {
    return getStatus() == null ? GpuNodeStatus.EMPTY : getStatus();
  }

  /** The spec, or an empty one: an object without a spec asks for the defaults. */
  public GpuNodeSpec specOrEmpty() {
    return getSpec() == null ? GpuNodeSpec.EMPTY : getSpec();
  }
}
