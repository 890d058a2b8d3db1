package io.baetyl.gpu.accelerator;

import io.baetyl.gpu.api.v1alpha1.Device;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** One vendor's accelerators: nobody else knows how to answer these questions. */
public interface Vendor {

  /** What they require of a node. */
  Requirements requirements();

  /**
   * Those of this node.
   *
   * @param containerRoot of this container: / but in tests; the host's /dev and /sys are in it
   * @param hostRoot under which the host's other folders of {@link Requirements#hostPaths} are
   */
  OnNode on(Path containerRoot, Path hostRoot);

  /** One vendor's accelerators on this node. All methods may look at files. */
  interface OnNode {

    /** Which devices are here, and how they are. */
    DeviceSource devices();

    /**
     * Looks what containers need now.
     *
     * @param devices all of this node
     * @return what a container needs to use some of them, one or more; looks at nothing any more
     */
    Function<List<Device>, ContainerAccess> access(List<Device> devices);

    /**
     * What would stop a container from using them.
     *
     * @param devices their ids
     * @param runtimeClassExists whether the cluster has {@link Requirements#runtimeClass}
     */
    RuntimeFinding runtime(Collection<String> devices, BooleanSupplier runtimeClassExists);
  }
}
