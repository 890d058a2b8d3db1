package io.baetyl.gpu;

import io.baetyl.gpu.deviceplugin.DevicePluginCommand;
import io.baetyl.gpu.metrics.MetricsCommand;
import io.baetyl.gpu.platform.Role;
import io.baetyl.gpu.platform.RoleCommand;
import io.baetyl.gpu.platform.RoleProcess;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Both node agents in one process, which saves a small node the memory of the second. */
@Command(
    name = "run",
    description = "Plays several roles in one process; their options come from the environment.",
    mixinStandardHelpOptions = true)
final class RunCommand implements Callable<Integer> {

  enum AgentRole {
    METRICS {
      @Override
      RoleCommand command() {
        return new MetricsCommand();
      }
    },
    DEVICE_PLUGIN {
      @Override
      RoleCommand command() {
        return new DevicePluginCommand();
      }
    };

    abstract RoleCommand command();

    Role role() {
      return CommandLine.populateCommand(command()).role();
    }

    @Override
    public String toString() {
      return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }
  }

  @Parameters(
      arity = "1..*",
      paramLabel = "ROLE",
      description = "One or more of ${COMPLETION-CANDIDATES}.")
  private List<AgentRole> roles;

  @Override
  public Integer call() {
    return RoleProcess.run(roles.stream().map(AgentRole::role).toList());
  }
}
