package io.baetyl.gpu.accelerator;

/**
 * A device as the driver knows it.
 *
 * @param id the vendor's lasting identity, for NVIDIA the UUID
 * @param index its number in the vendor's tools, which can change
 * @param path its device node on the host, such as {@code /dev/nvidia0}; null where it has several
 * @param model the vendor's name of the model
 * @param pciAddress such as {@code 00000000:03:00.0}; null where it is not on a PCI bus
 * @param memoryMiB its memory in MiB, rounded down
 */
public record FoundDevice(
    String id, int index, String path, String model, String pciAddress, long memoryMiB) {

  /** The name of its device node, such as {@code nvidia0}; empty where it has none of its own. */
  public String name() {
    return path == null ? "" : path.substring(path.lastIndexOf('/') + 1);
  }
}
