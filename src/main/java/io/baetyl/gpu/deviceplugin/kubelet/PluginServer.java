package io.baetyl.gpu.deviceplugin.kubelet;

import io.grpc.BindableService;
import io.grpc.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The plugin's own socket, served for one life of the kubelet. */
final class PluginServer {
  private final Path socket;
  private final Server server;

  private PluginServer(Path socket, Server server) {
    this.socket = socket;
    this.server = server;
  }

  /** Serves on a socket; one that was left there by an earlier process is replaced. */
  static PluginServer open(DomainSockets sockets, Path socket, BindableService service)
      throws IOException {
    Files.deleteIfExists(socket);
    return new PluginServer(socket, sockets.server(socket).addService(service).build().start());
  }

  /** Whether the socket is still in the folder; the kubelet empties it at its start. */
  boolean reachable() {
    return Files.exists(socket);
  }

  /** Cuts everything off, since nobody is there who would wait for an answer. */
  void abandon() throws IOException {
    server.shutdownNow();
    await(500);
    Files.deleteIfExists(socket);
  }

  /** Answers what is asked already, and no more; streams are ended. */
  void stop(long graceMillis) throws IOException {
    server.shutdown();
    await(graceMillis);
    server.shutdownNow();
    await(500);
    Files.deleteIfExists(socket);
  }

  private void await(long millis) {
    try {
      server.awaitTermination(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
