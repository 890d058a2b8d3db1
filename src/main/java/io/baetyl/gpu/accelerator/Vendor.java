package io.baetyl.gpu.accelerator;

import io.baetyl.gpu.api.v1alpha1.Device;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** One vendor's accelerators: nobody else knows how to answer these questions. */
public interface Vendor {

  /** What they require of a node. */
  Requirements requirements();

  /** Their metrics by the names of the vendor's own exporter. */
  VendorMetrics metrics();

  /** Those of this node. */
  OnNode on(NodeRoots roots);

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
