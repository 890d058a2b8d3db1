package io.baetyl.gpu;

import io.baetyl.gpu.deviceplugin.DevicePluginCommand;
import io.baetyl.gpu.extender.ExtenderCommand;
import io.baetyl.gpu.metrics.MetricsCommand;
import io.baetyl.gpu.operator.OperatorCommand;
import io.baetyl.gpu.platform.SecurityProviders;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The one program of the product; its first argument is the role that this process plays. */
@Command(
    name = "gpu",
    description = "Finds, watches, hands out and shares the accelerators of edge Kubernetes nodes.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    subcommands = {
      OperatorCommand.class,
      MetricsCommand.class,
      DevicePluginCommand.class,
      ExtenderCommand.class,
      RunCommand.class
    })
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    // Before anything logs: the log manager of a JVM is chosen once.
    System.setProperty("java.util.logging.manager", "org.jboss.logmanager.LogManager");
    SecurityProviders.keepThoseAtHand();
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    return new CommandLine(new Main()).setCaseInsensitiveEnumValuesAllowed(true);
  }
}
