package io.baetyl.gpu.accelerator.folder;

import io.baetyl.gpu.accelerator.DeviceSource;
import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.DriverException.Reason;
import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.NodeRoots;
import io.baetyl.gpu.accelerator.Sample;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * The folders {@code /sys/class/folder/<number>}, with the files serial, model, memory_mib and
 * used_mib.
 */
final class FolderDevices implements DeviceSource {
  private static final long BYTES_PER_MIB = 1 << 20;

  private final Path folders;

  FolderDevices(NodeRoots roots) {
    this.folders = roots.hardware().resolve("sys/class/folder");
  }

  @Override
  public AcceleratorType type() {
    return FolderVendor.TYPE;
  }

  @Override
  public List<FoundDevice> discover() throws DriverException {
    var found = new ArrayList<FoundDevice>();
    for (var folder : folders()) {
      var number = folder.getFileName().toString();
      found.add(
          new FoundDevice(
              text(folder, "serial"),
              Integer.parseInt(number),
              "/dev/folder" + number,
              text(folder, "model"),
              null,
              Long.parseLong(text(folder, "memory_mib"))));
    }
    return found;
  }

  @Override
  public Sample sample(String id) throws DriverException {
    for (var folder : folders()) {
      if (text(folder, "serial").equals(id)) {
        long total = Long.parseLong(text(folder, "memory_mib")) * BYTES_PER_MIB;
        long used = Long.parseLong(text(folder, "used_mib")) * BYTES_PER_MIB;
        return new Sample(
            OptionalLong.of(total),
            OptionalLong.of(used),
            OptionalLong.of(total - used),
            OptionalDouble.empty(),
            OptionalDouble.empty(),
            OptionalDouble.empty(),
            List.of(),
            Optional.empty());
      }
    }
    throw new DriverException(Reason.DEVICE_REMOVED, "The folder of " + id + " is gone");
  }

  private List<Path> folders() throws DriverException {
    try (var entries = Files.list(folders)) {
      return entries.sorted().toList();
    } catch (IOException notThere) {
      throw new DriverException(Reason.DRIVER_NOT_FOUND, "There is no " + folders + ": make it");
    }
  }

  private static String text(Path folder, String name) throws DriverException {
    try {
      return Files.readString(folder.resolve(name)).strip();
    } catch (IOException unreadable) {
      throw new DriverException(Reason.DEVICE_LOST, "%s has no %s".formatted(folder, name));
    }
  }

  @Override
  public void close() {}
}
