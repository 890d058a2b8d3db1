package io.baetyl.gpu.deviceplugin.allocation;

import java.util.Collection;
import java.util.Optional;

/** The pods of this node as the API server knows them. */
public interface NodePods {

  /** All pods of the node, as last watched. */
  Collection<NodePod> all();

  /**
   * A pod asked for at the API server, for one that the watch may not have delivered yet.
   *
   * @return empty where there is none, where it is on another node, and where nobody answers
   */
  Optional<NodePod> read(String namespace, String name);
}
