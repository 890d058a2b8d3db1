package io.baetyl.gpu.metrics;

import io.baetyl.gpu.accelerator.Sample;
import io.baetyl.gpu.accelerator.Sample.ProcessUse;
import io.baetyl.gpu.accelerator.VendorMetrics;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.metrics.containers.ContainerMemories;
import io.baetyl.gpu.metrics.reporting.NodeView;
import io.baetyl.gpu.metrics.serving.CollectAnswer;
import io.baetyl.gpu.metrics.serving.PrometheusPage;
import io.baetyl.gpu.metrics.watching.Survey;
import io.baetyl.gpu.metrics.watching.WatchedDevice;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** What those who ask for figures get, made of what is known: nothing here waits for a driver. */
final class Pages {
  private static final long BYTES_PER_MIB = 1 << 20;

  private final String nodeName;
  private final Function<AcceleratorType, VendorMetrics> vendorMetrics;
  private final Supplier<Survey> survey;
  private final NodeView view;
  private final IntFunction<Optional<String>> owners;

  /**
   * @param owners the pod's UID on the node by a process's id
   */
  Pages(
      String nodeName,
      Function<AcceleratorType, VendorMetrics> vendorMetrics,
      Supplier<Survey> survey,
      NodeView view,
      IntFunction<Optional<String>> owners) {
    this.nodeName = nodeName;
    this.vendorMetrics = vendorMetrics;
    this.survey = survey;
    this.view = view;
    this.owners = owners;
  }

  /** For Prometheus. */
  byte[] metrics() {
    var known = survey.get();
    var devices = counting(known);
    var rules = view.rules();
    var containers =
        ContainerMemories.of(
            view.status().allocations(),
            rules.isPresent()
                ? OptionalLong.of(rules.get().unitMiB() * BYTES_PER_MIB)
                : OptionalLong.empty(),
            processes(devices),
            owners);
    return PrometheusPage.of(
        nodeName, vendorMetrics.apply(known.type()), known, devices, containers);
  }

  private static Map<String, List<ProcessUse>> processes(List<WatchedDevice> devices) {
    return devices.stream()
        .filter(WatchedDevice::answering)
        .collect(
            Collectors.toMap(
                watched -> watched.device().id(),
                watched -> watched.figures().map(Sample::processes).orElse(List.of())));
  }

  /** For Baetyl. */
  Map<String, CollectAnswer> collect() {
    return CollectAnswer.of(nodeName, counting(survey.get()));
  }

  private List<WatchedDevice> counting(Survey known) {
    return known.counting(
        view.status().allocations().stream().map(Allocation::device).collect(Collectors.toSet()));
  }
}
