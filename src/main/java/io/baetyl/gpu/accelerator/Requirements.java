package io.baetyl.gpu.accelerator;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.Device;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a vendor's accelerators require of a node and of the agents on it, and what pods ask for.
 *
 * @param type the accelerator type
 * @param architectures the values of the label {@code kubernetes.io/arch} of nodes that can have it
 * @param hostFolders of the host, that tell the agents what containers need
 * @param driver what it takes to ask their driver
 * @param runtimeClass the RuntimeClass that vendors install, by name
 * @param resources the extended resources of whole devices, at least one; where a model fits
 *     several, the first counts
 * @param allocations the ways in which they can be handed out
 */
public record Requirements(
    AcceleratorType type,
    Set<String> architectures,
    List<String> hostFolders,
    Driver driver,
    String runtimeClass,
    List<DeviceResource> resources,
    Set<AllocationMode> allocations) {

  /**
   * What it takes to ask a driver about its devices.
   *
   * @param hostFolders of the host, in which its library may be, beside those that tell what
   *     containers need
   * @param libraryFolders of the host, in which its library finds others that it needs itself
   * @param environment variables by which the vendor's container runtime, where it is the node's
   *     default one, gives the metrics agent the library
   */
  public record Driver(
      List<String> hostFolders, List<String> libraryFolders, Map<String, String> environment) {}

  /**
   * What pods ask for to have whole devices.
   *
   * @param name of the extended resource
   * @param models how the names of the models begin that it is for; empty for all
   * @param most how many a container may ask for
   */
  public record DeviceResource(String name, String models, int most) {

    /** A resource of which a container can have as many as the node has. */
    public DeviceResource(String name, String models) {
      this(name, models, Integer.MAX_VALUE);
    }
  }

  /** The resource of a node's devices, which are of one model, or of none yet. */
  public String resourceName(List<Device> devices) {
    return devices.stream()
        .map(device -> String.valueOf(device.model()))
        .flatMap(
            model -> resources.stream().filter(resource -> model.startsWith(resource.models())))
        .findFirst()
        .orElse(resources.getFirst())
        .name();
  }
}
