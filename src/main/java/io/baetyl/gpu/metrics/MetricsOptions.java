package io.baetyl.gpu.metrics;

import io.baetyl.gpu.platform.NodeNameConverter;
import io.baetyl.gpu.platform.PortConverter;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** What the role can be told, with defaults for a pod of the product's DaemonSet. */
final class MetricsOptions {
  @Option(
      names = "--node-name",
      required = true,
      defaultValue = "${env:NODE_NAME}",
      converter = NodeNameConverter.class,
      description = "The Kubernetes node that this runs on (NODE_NAME).")
  String nodeName;

  @Option(
      names = "--port",
      defaultValue = "${env:METRICS_PORT:-30060}",
      converter = PortConverter.class,
      description =
          "Serves /metrics, /v1/collect, /healthz and /readyz (METRICS_PORT; default: 30060, where"
              + " Baetyl looks).")
  int port;

  @Option(
      names = "--sample-interval-seconds",
      defaultValue = "${env:SAMPLE_INTERVAL_SECONDS:-2}",
      converter = SecondsConverter.class,
      description =
          "How often each device is asked for its figures, which is also how soon a fault is seen"
              + " (SAMPLE_INTERVAL_SECONDS; default: 2).")
  int sampleIntervalSeconds;

  @Option(
      names = "--host-root",
      defaultValue = "${env:HOST_ROOT:-/host}",
      description =
          "Where the host's /usr, /run and /etc are mounted (HOST_ROOT; default: /host). The host's"
              + " /dev is expected at /dev.")
  Path hostRoot;

  @Option(
      names = "--hardware-root",
      defaultValue = "${env:HARDWARE_ROOT:-/}",
      description =
          "Where the kernel's /proc and /sys are; another than / simulates hardware (HARDWARE_ROOT;"
              + " default: /).")
  Path hardwareRoot;
}
