package io.baetyl.gpu.accelerator.nvidia;

import io.baetyl.gpu.accelerator.DeviceSource;
import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.Sample;
import io.baetyl.gpu.accelerator.library.LibraryFile;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The NVIDIA cards of this node. A driver that appears, or is replaced, while this runs is taken up
 * at the next {@link #discover}.
 */
final class NvidiaDevices implements DeviceSource {
  private static final long BYTES_PER_MIB = 1 << 20;

  /**
   * How NVML on JetPack 6 and later names a Tegra's GPU, as NVIDIA's container toolkit tells them
   * apart. It tells nearly nothing of it, and the GPU is used in another way.
   */
  private static final String TEGRA = "(nvgpu)";

  private final LibraryFile<Nvml> library;
  private final XidFaults xidFaults = new XidFaults();

  /**
   * @param libraries where NVML may be, the best first; files that do not exist are passed over
   */
  NvidiaDevices(List<Path> libraries) {
    this.library =
        new LibraryFile<>(
            () -> libraries,
            "NVIDIA's library libnvidia-ml.so.1 was found neither in this container nor on the"
                + " host: install NVIDIA's driver, and see that nvidia-smi works on the node",
            Nvml::new);
  }

  @Override
  public AcceleratorType type() {
    return AcceleratorType.NVIDIA;
  }

  @Override
  public List<FoundDevice> discover() throws DriverException {
    try {
      var nvml = library.load();
      var devices = new ArrayList<FoundDevice>();
      int count = nvml.count();
      for (int index = 0; index < count; index++) {
        Optional<MemorySegment> device = nvml.device(index);
        if (device.isPresent()) {
          describeUnlessLost(nvml, index, device.get()).ifPresent(devices::add);
        }
      }
      return devices;
    } catch (IllegalStateException unloaded) {
      throw LibraryFile.beingReplaced();
    }
  }

  /** A card that is lost between its handle and its name must not hide the others. */
  private static Optional<FoundDevice> describeUnlessLost(
      Nvml nvml, int index, MemorySegment device) throws DriverException {
    try {
      return nvml.name(device).contains(TEGRA)
          ? Optional.empty()
          : Optional.of(describe(nvml, index, device));
    } catch (DriverException trouble) {
      if (trouble.reason() == DriverException.Reason.DEVICE_LOST) {
        return Optional.empty();
      }
      throw trouble;
    }
  }

  private static FoundDevice describe(Nvml nvml, int index, MemorySegment device)
      throws DriverException {
    OptionalInt minor = nvml.minorNumber(device);
    return new FoundDevice(
        nvml.uuid(device),
        index,
        minor.isPresent() ? "/dev/nvidia" + minor.getAsInt() : null,
        nvml.name(device),
        nvml.pciAddress(device).orElse(null),
        nvml.memory(device).map(memory -> memory.total() / BYTES_PER_MIB).orElse(0L));
  }

  @Override
  public Sample sample(String id) throws DriverException {
    try {
      var nvml = library.current();
      return sample(nvml, id);
    } catch (IllegalStateException unloaded) {
      throw LibraryFile.beingReplaced();
    }
  }

  private Sample sample(Nvml nvml, String id) throws DriverException {
    try {
      // By UUID each time: a handle does not outlive its card's fall from the bus and its return.
      var device = nvml.device(id);
      return sample(nvml, device, xidFaults.after(id, nvml.xids(id, device)));
    } catch (DriverException trouble) {
      if (trouble.reason() != DriverException.Reason.DRIVER_FAILED) {
        xidFaults.forget(id);
        nvml.forgetXids(id);
      }
      throw trouble;
    }
  }

  private static Sample sample(Nvml nvml, MemorySegment device, Optional<String> xidFault)
      throws DriverException {
    var memory = nvml.memory(device);
    var utilization = nvml.utilization(device);
    var temperature = nvml.temperature(device);
    var power = nvml.power(device);
    return new Sample(
        memory.map(known -> OptionalLong.of(known.total())).orElseGet(OptionalLong::empty),
        memory.map(known -> OptionalLong.of(known.used())).orElseGet(OptionalLong::empty),
        memory.map(known -> OptionalLong.of(known.free())).orElseGet(OptionalLong::empty),
        Sample.scaled(utilization, 100),
        Sample.scaled(temperature, 1),
        Sample.scaled(power, 1000),
        nvml.processes(device),
        nvml.isMigEnabled(device)
            ? Optional.of(
                "The card is partitioned (MIG), and cannot be handed out as one; nvidia-smi -mig 0"
                    + " ends that")
            : xidFault);
  }

  @Override
  public String whereHangsShow() {
    return "look for NVRM and Xid in the node's kernel log";
  }

  @Override
  public void close() {
    library.close();
  }
}
