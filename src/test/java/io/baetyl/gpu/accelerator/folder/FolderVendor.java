package io.baetyl.gpu.accelerator.folder;

import static java.util.stream.Collectors.joining;

import io.baetyl.gpu.accelerator.ContainerAccess;
import io.baetyl.gpu.accelerator.ContainerAccess.Mount;
import io.baetyl.gpu.accelerator.DeviceSource;
import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.NodeRoots;
import io.baetyl.gpu.accelerator.Requirements;
import io.baetyl.gpu.accelerator.Requirements.DeviceResource;
import io.baetyl.gpu.accelerator.RuntimeFinding;
import io.baetyl.gpu.accelerator.Vendor;
import io.baetyl.gpu.accelerator.VendorMetrics;
import io.baetyl.gpu.accelerator.Vendors;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.api.v1alpha1.Device;
import java.nio.file.Files;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** Accelerators that are folders. */
public final class FolderVendor implements Vendor {
  /**
   * The API lists only types that work, so in the tests this vendor stands in the place of one of
   * them; what is not here reads no more of a type than that it is one.
   */
  public static final AcceleratorType TYPE = AcceleratorType.BITMAIN;

  private static final String LIBRARIES = "/opt/folder";

  private static final Requirements REQUIREMENTS =
      new Requirements(
          TYPE,
          Set.of("amd64", "arm64"),
          List.of("/opt"),
          new Requirements.Driver(List.of(), List.of(), Map.of()),
          "folder",
          List.of(
              new DeviceResource("example.com/folder-large", "Folder L"),
              new DeviceResource("example.com/folder", "Folder")),
          Set.of(AllocationMode.DEVICES));

  private static final VendorMetrics METRICS =
      new VendorMetrics(
          List.of(
              new VendorMetrics.Family(
                  "folder_memory_used_bytes",
                  "Memory of the folder in use.",
                  (device, sample) ->
                      sample.usedBytes().isPresent()
                          ? OptionalDouble.of(sample.usedBytes().getAsLong())
                          : OptionalDouble.empty())),
          FolderVendor::labels);

  /** The known vendors with this one among them. */
  public static List<Vendor> amongTheKnown() {
    return Vendors.ALL.stream()
        .map(known -> known.requirements().type() == TYPE ? new FolderVendor() : known)
        .toList();
  }

  private static LinkedHashMap<String, String> labels(FoundDevice device) {
    var labels = new LinkedHashMap<String, String>();
    labels.put("serial", device.id());
    return labels;
  }

  @Override
  public Requirements requirements() {
    return REQUIREMENTS;
  }

  @Override
  public VendorMetrics metrics() {
    return METRICS;
  }

  @Override
  public OnNode on(NodeRoots roots) {
    return new OnNode() {
      @Override
      public DeviceSource devices() {
        return new FolderDevices(roots);
      }

      @Override
      public Function<List<Device>, ContainerAccess> access(List<Device> devices) {
        var mounts =
            Files.isDirectory(roots.host().resolve(LIBRARIES.substring(1)))
                ? List.of(new Mount(LIBRARIES, LIBRARIES))
                : List.<Mount>of();
        return some ->
            new ContainerAccess(
                Map.of(
                    "FOLDER_VISIBLE_DEVICES",
                    some.stream().map(Device::id).sorted().collect(joining(","))),
                some.stream().map(Device::path).sorted().toList(),
                mounts,
                List.of());
      }

      @Override
      public RuntimeFinding runtime(
          Collection<String> devices, BooleanSupplier runtimeClassExists) {
        return devices.isEmpty()
            ? new RuntimeFinding(false, "NoDeviceNodes", "Make a folder for each device")
            : new RuntimeFinding(true, "DeviceNodes", "Containers get the folders' device nodes");
      }
    };
  }
}
