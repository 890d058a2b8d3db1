package io.baetyl.gpu.metrics;

import io.baetyl.gpu.platform.Role;
import io.baetyl.gpu.platform.RoleCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command line of the role. */
@Command(
    name = "metrics",
    description =
        "Finds the accelerators of a node, watches them, and serves their figures to Prometheus and"
            + " Baetyl.",
    mixinStandardHelpOptions = true)
public final class MetricsCommand implements RoleCommand {
  @Mixin private MetricsOptions options;

  @Override
  public Role role() {
    return new MetricsRole(options);
  }
}
