package io.baetyl.gpu.deviceplugin.kubelet;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The other device plugins of ours on this node. While the allocation of a node changes, the one
 * that leaves goes on handing out what the other is to hand out, until it has closed its socket.
 */
public final class OtherPlugins {
  private static final String OURS = "baetyl-*.sock";

  private OtherPlugins() {}

  /**
   * Whether one of them serves. A socket that a killed one has left takes no connection.
   *
   * @param folder the kubelet's folder of device plugins
   * @param endpoint the file name of the own socket
   */
  public static boolean serve(Path folder, String endpoint) {
    try (var sockets = Files.newDirectoryStream(folder, OURS)) {
      for (var socket : sockets) {
        if (!socket.getFileName().toString().equals(endpoint) && answers(socket)) {
          return true;
        }
      }
      return false;
    } catch (IOException folderIsGone) {
      return false;
    }
  }

  private static boolean answers(Path socket) {
    try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      return channel.isConnected();
    } catch (IOException left) {
      return false;
    }
  }
}
