package io.baetyl.gpu.accelerator;

import java.util.List;
import java.util.Map;

/**
 * What a container needs to use its devices, in the terms of the device plugin API. A host path
 * that does not exist is not in it, since the kubelet would fail the container.
 *
 * @param environment variables
 * @param deviceNodes device nodes, at the same path inside as on the host
 * @param mounts folders of the host, read-only
 * @param cdiDevices fully qualified CDI device names, which a spec on this node is known to hold
 */
public record ContainerAccess(
    Map<String, String> environment,
    List<String> deviceNodes,
    List<Mount> mounts,
    List<String> cdiDevices) {

  /** A folder of the host and where a container sees it. */
  public record Mount(String hostPath, String containerPath) {}
}
