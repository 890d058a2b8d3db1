package io.baetyl.gpu.extender;

import io.baetyl.gpu.platform.Role;
import io.baetyl.gpu.platform.RoleCommand;
import picocli.CommandLine.Command;

/** The options of the role. */
@Command(name = "scheduler-extender", mixinStandardHelpOptions = true)
public final class ExtenderCommand implements RoleCommand {

  @Override
  public Role role() {
    throw new UnsupportedOperationException("not there yet");
  }
}
