package io.baetyl.gpu.deviceplugin;

import io.baetyl.gpu.platform.Role;
import io.baetyl.gpu.platform.RoleCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command line of the role. */
@Command(
    name = "device-plugin",
    description = "Hands the accelerators of a node out to its pods, whole or shared by memory.",
    mixinStandardHelpOptions = true)
public final class DevicePluginCommand implements RoleCommand {
  @Mixin private DevicePluginOptions options;

  @Override
  public Role role() {
    return new DevicePluginRole(options);
  }
}
