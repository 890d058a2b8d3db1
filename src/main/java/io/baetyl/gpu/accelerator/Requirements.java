package io.baetyl.gpu.accelerator;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import java.util.List;

/**
 * What a vendor's accelerators require of a node and of the agents on it, and what pods ask for.
 *
 * @param type the accelerator type
 * @param architecture the value of the label {@code kubernetes.io/arch} of nodes that can have it
 * @param hostPaths folders of the host that an agent has to see; all of them exist on every node
 * @param runtimeClass the RuntimeClass that vendors install, by name
 * @param resourceName the extended resource of whole devices
 */
public record Requirements(
    AcceleratorType type,
    String architecture,
    List<String> hostPaths,
    String runtimeClass,
    String resourceName) {}
