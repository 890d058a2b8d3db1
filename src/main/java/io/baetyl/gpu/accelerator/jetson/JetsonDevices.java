package io.baetyl.gpu.accelerator.jetson;

import io.baetyl.gpu.accelerator.DeviceSource;
import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.DriverException.Reason;
import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.NodeRoots;
import io.baetyl.gpu.accelerator.Sample;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The integrated GPU of a Jetson, by the kernel's files alone: most JetPack releases have no NVML,
 * and that of the others tells next to nothing.
 */
final class JetsonDevices implements DeviceSource {
  private static final long BYTES_PER_MIB = 1 << 20;

  private final DeviceTree board;
  private final JetsonGpu gpu;

  JetsonDevices(NodeRoots roots) {
    this.board = new DeviceTree(roots.hardware());
    this.gpu = new JetsonGpu(roots.hardware());
  }

  @Override
  public AcceleratorType type() {
    return AcceleratorType.JETSON;
  }

  @Override
  public List<FoundDevice> discover() throws DriverException {
    if (!board.isTegra()) {
      throw new DriverException(
          Reason.DRIVER_NOT_FOUND,
          "The node's device tree names none of NVIDIA's Tegra chips, so this is no Jetson");
    }
    return List.of(
        new FoundDevice(
            id(),
            0,
            null,
            board.model().orElse("NVIDIA Jetson"),
            null,
            gpu.memory().map(memory -> memory.totalBytes() / BYTES_PER_MIB).orElse(0L)));
  }

  private String id() {
    return board.serialNumber().map(serial -> "jetson-" + serial).orElse("jetson");
  }

  @Override
  public Sample sample(String id) throws DriverException {
    if (!board.isTegra() || !id.equals(id())) {
      throw new DriverException(
          Reason.DEVICE_REMOVED, "This node is another board than the one that was reported");
    }
    var memory = gpu.memory();
    return new Sample(
        bytes(memory.map(JetsonGpu.Memory::totalBytes)),
        bytes(memory.map(known -> known.totalBytes() - known.availableBytes())),
        bytes(memory.map(JetsonGpu.Memory::availableBytes)),
        gpu.utilization(),
        gpu.temperature(),
        gpu.power(),
        List.of(),
        gpu.isThere()
            ? Optional.empty()
            : Optional.of(
                "The GPU's driver is not loaded: look for nvgpu in the node's kernel log, and see that the JetPack packages are those of the running kernel"));
  }

  private static OptionalLong bytes(Optional<Long> bytes) {
    return bytes.map(OptionalLong::of).orElseGet(OptionalLong::empty);
  }

  @Override
  public String whereHangsShow() {
    return "look for nvgpu in the node's kernel log";
  }

  @Override
  public void close() {}
}
