package io.baetyl.gpu.platform;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;

/** A port that a role serves HTTP on. */
public final class HttpPort {
  private HttpPort() {}

  /**
   * A server on all addresses, not started.
   *
   * @param port where to listen; 0 for any free one
   * @param option how a user chooses the port, such as {@code --port (METRICS_PORT)}
   * @throws IOException if nobody can listen there; the message says which port and what to do
   */
  public static HttpServer open(int port, String option) throws IOException {
    try {
      return HttpServer.create(new InetSocketAddress(port), 0);
    } catch (BindException refused) {
      throw refused(port, option, refused);
    }
  }

  /**
   * That nobody can listen on a port; the message says which port and what to do.
   *
   * @param option how a user chooses the port, such as {@code --port (METRICS_PORT)}
   */
  public static IOException refused(int port, String option, BindException refused) {
    return new IOException(
        "Port %d cannot be listened on (%s): stop whoever listens there, whom ss -ltnp shows on the node, or choose another port with %s"
            .formatted(port, refused.getMessage(), option),
        refused);
  }
}
