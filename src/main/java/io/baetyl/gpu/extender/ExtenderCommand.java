package io.baetyl.gpu.extender;

import io.baetyl.gpu.extender.apiserver.ExtenderClient;
import io.baetyl.gpu.platform.PortConverter;
import io.baetyl.gpu.platform.Role;
import io.baetyl.gpu.platform.RoleCommand;
import java.nio.file.Path;
import java.time.Clock;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The options of the role. */
@Command(
    name = "scheduler-extender",
    description = "Tells kube-scheduler which cards have room, and binds pods to them.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class ExtenderCommand implements RoleCommand {
  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "${env:PORT:-8443}",
      converter = PortConverter.class,
      description = "Where kube-scheduler calls, by HTTPS.")
  private int port;

  @Option(
      names = "--health-port",
      paramLabel = "PORT",
      defaultValue = "${env:HEALTH_PORT:-8081}",
      converter = PortConverter.class,
      description = "Where /healthz, /readyz and /metrics are served, by HTTP.")
  private int healthPort;

  @Option(
      names = "--tls-dir",
      paramLabel = "DIR",
      defaultValue = "${env:TLS_DIR:-/etc/baetyl-gpu/tls}",
      description =
          "Folder with tls.crt and tls.key to show to kube-scheduler, and ca.crt that its client"
              + " certificate has to be signed by. Changed files are taken over by themselves.")
  private Path tlsDir;

  @Override
  public Role role() {
    return new SchedulerExtender(
        new ExtenderOptions(port, healthPort, tlsDir), ExtenderClient::create, Clock.systemUTC());
  }
}
