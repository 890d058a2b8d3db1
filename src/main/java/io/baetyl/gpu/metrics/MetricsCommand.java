package io.baetyl.gpu.metrics;

import io.baetyl.gpu.platform.Role;
import io.baetyl.gpu.platform.RoleCommand;
import picocli.CommandLine.Command;

/** The options of the role. */
@Command(name = "metrics", mixinStandardHelpOptions = true)
public final class MetricsCommand implements RoleCommand {

  @Override
  public Role role() {
    throw new UnsupportedOperationException("not there yet");
  }
}
