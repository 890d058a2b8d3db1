package io.baetyl.gpu.deviceplugin;

import io.baetyl.gpu.platform.Role;
import io.baetyl.gpu.platform.RoleCommand;
import picocli.CommandLine.Command;

/** The options of the role. */
@Command(name = "device-plugin", mixinStandardHelpOptions = true)
public final class DevicePluginCommand implements RoleCommand {

  @Override
  public Role role() {
    throw new UnsupportedOperationException("not there yet");
  }
}
