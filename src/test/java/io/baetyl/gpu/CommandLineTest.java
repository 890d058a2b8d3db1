package io.baetyl.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.AllocationMode;
import io.baetyl.gpu.deviceplugin.DevicePluginCommand;
import io.baetyl.gpu.extender.ExtenderCommand;
import io.baetyl.gpu.metrics.MetricsCommand;
import io.baetyl.gpu.platform.RoleCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** What the roles are told where nobody tells them anything, and what they say of nonsense. */
class CommandLineTest {

  static Stream<Arguments> defaults() {
    return Stream.of(
        Arguments.of(
            new MetricsCommand(),
            List.of("--node-name=edge-1"),
            Map.of(
                "--node-name",
                "edge-1",
                "--port",
                30060,
                "--sample-interval-seconds",
                2,
                "--host-root",
                Path.of("/host"),
                "--hardware-root",
                Path.of("/"))),
        Arguments.of(
            new DevicePluginCommand(),
            List.of("--node-name=edge-1"),
            Map.of(
                "--node-name",
                "edge-1",
                "--accelerator",
                AcceleratorType.NVIDIA,
                "--allocation",
                AllocationMode.SHARED,
                "--kubelet-dir",
                Path.of("/var/lib/kubelet"),
                "--host-root",
                Path.of("/host"),
                "--hardware-root",
                Path.of("/"),
                "--health-port",
                30061)),
        Arguments.of(
            new ExtenderCommand(),
            List.of(),
            Map.of(
                "--port",
                8443,
                "--health-port",
                8081,
                "--tls-dir",
                Path.of("/etc/baetyl-gpu/tls"))));
  }

  @ParameterizedTest
  @MethodSource("defaults")
  void everyOptionHasItsDefault(
      RoleCommand role, List<String> given, Map<String, Object> expected) {
    var commandLine = new CommandLine(role);

    commandLine.parseArgs(given.toArray(String[]::new));

    var values = new TreeMap<String, Object>();
    commandLine.getCommandSpec().options().stream()
        .filter(option -> !option.usageHelp() && !option.versionHelp())
        .forEach(option -> values.put(option.longestName(), option.<Object>getValue()));
    assertThat(values).containsExactlyInAnyOrderEntriesOf(new TreeMap<>(expected));
  }

  static Stream<Arguments> roles() {
    return Stream.of(
        Arguments.of(
            "metrics", "NODE_NAME METRICS_PORT SAMPLE_INTERVAL_SECONDS HOST_ROOT HARDWARE_ROOT"),
        Arguments.of(
            "device-plugin",
            "NODE_NAME ACCELERATOR ALLOCATION KUBELET_DIR HOST_ROOT HARDWARE_ROOT HEALTH_PORT"),
        Arguments.of("scheduler-extender", "PORT HEALTH_PORT TLS_DIR"));
  }

  @ParameterizedTest
  @MethodSource("roles")
  void everyOptionCanBeSetByTheEnvironment(String role, String variables) {
    var subcommand = Main.commandLine().getSubcommands().get(role);

    var read =
        subcommand.getCommandSpec().options().stream()
            .map(option -> ((Field) option.userObject()).getAnnotation(Option.class))
            .map(Option::defaultValue)
            .filter(value -> value.startsWith("${env:"))
            .map(value -> value.replaceAll("\\$\\{env:([A-Z_]+).*", "$1"))
            .toList();

    assertThat(read).containsExactlyInAnyOrder(variables.split(" "));
  }

  static Stream<Arguments> nonsense() {
    return Stream.of(
        Arguments.of("metrics", "Missing required option: '--node-name"),
        Arguments.of("device-plugin", "Missing required option: '--node-name"),
        Arguments.of(
            "device-plugin --node-name=a --accelerator=none",
            "Invalid value for option '--accelerator': 'none' is no type of accelerator: give one"
                + " of nvidia, jetson, ascend, bitmain"),
        Arguments.of(
            "device-plugin --node-name=a --allocation=None",
            "Invalid value for option '--allocation': 'None' is no way of handing devices out:"
                + " give Devices or Shared"),
        Arguments.of(
            "metrics --node-name=",
            "Invalid value for option '--node-name': it is empty: give the name that"
                + " `kubectl get nodes` shows, by NODE_NAME or here"),
        Arguments.of(
            "metrics --node-name=edge-1 --port=web",
            "Invalid value for option '--port': 'web' is no TCP port: give a number from"
                + " 0, for any free one, to 65535"),
        Arguments.of(
            "device-plugin --node-name=edge-1 --health-port=65536",
            "Invalid value for option '--health-port': '65536' is no TCP port: give a number"
                + " from 0, for any free one, to 65535"),
        Arguments.of(
            "metrics --node-name=edge-1 --sample-interval-seconds=0",
            "Invalid value for option '--sample-interval-seconds': '0' is"
                + " no number of seconds: give a whole number from 1 to 3600"),
        Arguments.of(
            "scheduler-extender --port=web",
            "Invalid value for option '--port': 'web' is no TCP port: give a number from"
                + " 0, for any free one, to 65535"),
        Arguments.of(
            "scheduler-extender --health-port=65536",
            "Invalid value for option '--health-port': '65536' is no TCP port: give a number"
                + " from 0, for any free one, to 65535"),
        Arguments.of("device-plugin --node-name=edge-1 --kubelet=/k", "Unknown option: '--kubelet"),
        Arguments.of("run", "Missing required parameter: 'ROLE'"),
        Arguments.of("run devices", "metrics, device-plugin"),
        Arguments.of("deviceplugin", "Did you mean"));
  }

  @ParameterizedTest
  @MethodSource("nonsense")
  void nonsenseIsRefusedWithTheOptionAndTheCure(String line, String message) {
    var said = new StringWriter();
    var commandLine = Main.commandLine().setErr(new PrintWriter(said));

    int exitCode = commandLine.execute(line.split(" "));

    assertThat(said.toString()).contains(message).doesNotContain("\tat ");
    assertThat(exitCode).isEqualTo(CommandLine.ExitCode.USAGE);
  }

  @Test
  void theVersionIsSaid() {
    var said = new StringWriter();

    Main.commandLine().setOut(new PrintWriter(said)).execute("--version");

    assertThat(said.toString()).isEqualToIgnoringNewLines("development");
  }
}
