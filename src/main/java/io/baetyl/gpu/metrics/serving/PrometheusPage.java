package io.baetyl.gpu.metrics.serving;

import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.VendorMetrics;
import io.baetyl.gpu.metrics.containers.ContainerMemory;
import io.baetyl.gpu.metrics.watching.Survey;
import io.baetyl.gpu.metrics.watching.WatchedDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Function;

/** What Prometheus gets. Pure. */
public final class PrometheusPage {
  private PrometheusPage() {}

  /**
   * The page in Prometheus' text format.
   *
   * @param node the Kubernetes node's name
   * @param vendor the vendor's own metrics
   * @param devices those that count
   * @param containers at most one entry per container and device
   */
  public static byte[] of(
      String node,
      VendorMetrics vendor,
      Survey survey,
      List<WatchedDevice> devices,
      List<ContainerMemory> containers) {
    var page = new Exposition();
    page.gauge(
        "baetyl_gpu_driver_up", "1 if the accelerators' driver answers, 0 if it fails or hangs.");
    page.sample(Exposition.labels("node", node), survey.driverIsUp() ? 1 : 0);
    cards(page, CardFamily.of(vendor), devices, device -> vendorLabels(vendor, node, device));
    cards(page, CardFamily.NEUTRAL, devices, device -> neutralLabels(node, device));
    containers(page, node, containers);
    return page.bytes();
  }

  private static void cards(
      Exposition page,
      List<CardFamily> families,
      List<WatchedDevice> devices,
      Function<FoundDevice, byte[]> labels) {
    var labelsOf = devices.stream().map(watched -> labels.apply(watched.device())).toList();
    for (var family : families) {
      page.gauge(family.name(), family.help());
      for (int i = 0; i < devices.size(); i++) {
        var value = family.value().apply(devices.get(i));
        if (value.isPresent()) {
          page.sample(labelsOf.get(i), value.getAsDouble());
        }
      }
    }
  }

  private static byte[] vendorLabels(VendorMetrics vendor, String node, FoundDevice device) {
    var labels = new ArrayList<String>();
    vendor
        .labels()
        .apply(device)
        .forEach(
            (name, value) -> {
              labels.add(name);
              labels.add(value);
            });
    labels.add("Hostname");
    labels.add(node);
    return Exposition.labels(labels.toArray(String[]::new));
  }

  private static byte[] neutralLabels(String node, FoundDevice device) {
    return Exposition.labels(
        "node",
        node,
        "device",
        device.name(),
        "uuid",
        device.id(),
        "model",
        Objects.requireNonNullElse(device.model(), ""));
  }

  private static void containers(Exposition page, String node, List<ContainerMemory> containers) {
    var labels = containers.stream().map(container -> labels(node, container)).toList();
    page.gauge(
        "baetyl_gpu_container_requested_memory_bytes",
        "Memory of the device that the container asked for.");
    samples(page, containers, labels, ContainerMemory::requestedBytes);
    page.gauge(
        "baetyl_gpu_container_used_memory_bytes",
        "Memory of the device that the container's processes hold.");
    samples(page, containers, labels, ContainerMemory::usedBytes);
  }

  private static void samples(
      Exposition page,
      List<ContainerMemory> containers,
      List<byte[]> labels,
      Function<ContainerMemory, OptionalLong> figure) {
    for (int i = 0; i < containers.size(); i++) {
      var value = figure.apply(containers.get(i));
      if (value.isPresent()) {
        page.sample(labels.get(i), value.getAsLong());
      }
    }
  }

  private static byte[] labels(String node, ContainerMemory container) {
    return Exposition.labels(
        "node",
        node,
        "namespace",
        container.namespace(),
        "pod",
        container.pod(),
        "container",
        container.container(),
        "uuid",
        container.uuid());
  }
}
