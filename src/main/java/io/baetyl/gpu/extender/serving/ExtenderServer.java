package io.baetyl.gpu.extender.serving;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.baetyl.gpu.extender.counting.Counters;
import io.baetyl.gpu.extender.counting.Counters.Counter;
import io.baetyl.gpu.extender.wire.JsonBytes;
import io.baetyl.gpu.extender.wire.MalformedCall;
import io.baetyl.gpu.extender.wire.Verb;
import io.baetyl.gpu.platform.HttpPort;
import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes kube-scheduler's calls. Every call gets an answer in the form that the scheduler reads:
 * whatever is wrong, it shows in the pod's event rather than as a broken connection.
 */
public final class ExtenderServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ExtenderServer.class);
  private static final int LARGEST_BODY = 32 << 20;

  /** How many connections may wait to be taken. */
  private static final int BACKLOG = 128;

  /** Longer than a bind takes when the API server is silent; no other call waits for anybody. */
  private static final int DRAIN_SECONDS = (int) Verb.LONGEST_CALL.plusSeconds(1).toSeconds();

  static {
    // Read once, when the JDK's server is first used. Without it an answer waits for the client's
    // delayed acknowledgement.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    System.setProperty("sun.net.httpserver.maxIdleConnections", "500");
    System.setProperty("sun.net.httpserver.idleInterval", "300");
  }

  private final HttpServer server;
  private final ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor();
  private final Supplier<Optional<String>> whyNotReady;
  private final Counters counters;

  /** Makes a verb together with the buffers it works in, which one call at a time can use. */
  public interface VerbFactory extends Supplier<Verb> {}

  /**
   * @param address where to listen; port 0 for any free one
   * @param tls what to show to clients and demand of them; null for plain HTTP, in tests
   * @param whyNotReady why no call can be answered now; empty where they can
   * @throws IOException if nobody can listen there; the message says what to do
   */
  public ExtenderServer(
      InetSocketAddress address,
      SSLContext tls,
      Supplier<Optional<String>> whyNotReady,
      Counters counters)
      throws IOException {
    this.whyNotReady = whyNotReady;
    this.counters = counters;
    server = open(address, tls);
    server.setExecutor(calls);
    server.createContext("/", exchange -> refuse(exchange, 404));
  }

  private static HttpServer open(InetSocketAddress address, SSLContext tls) throws IOException {
    try {
      if (tls == null) {
        return HttpServer.create(address, BACKLOG);
      }
      var secure = HttpsServer.create(address, BACKLOG);
      secure.setHttpsConfigurator(new ClientsWithCertificates(tls));
      return secure;
    } catch (BindException taken) {
      throw HttpPort.refused(address.getPort(), "--port (PORT)", taken);
    }
  }

  private static final class ClientsWithCertificates extends HttpsConfigurator {
    ClientsWithCertificates(SSLContext context) {
      super(context);
    }

    @Override
    public void configure(HttpsParameters parameters) {
      var demands = getSSLContext().getDefaultSSLParameters();
      demands.setNeedClientAuth(true);
      parameters.setSSLParameters(demands);
    }
  }

  /** Answers the calls of a path by a verb. */
  public void serve(String path, Counter counter, VerbFactory verbs) {
    var desks = new ConcurrentLinkedQueue<Desk>();
    server.createContext(
        path,
        exchange -> {
          if (!exchange.getRequestURI().getPath().equals(path)) {
            refuse(exchange, 404);
          } else if (!exchange.getRequestMethod().equals("POST")) {
            refuse(exchange, 405);
          } else {
            counters.count(counter);
            var free = desks.poll();
            var desk = free == null ? new Desk(verbs.get()) : free;
            desk.answer(exchange);
            desks.add(desk);
          }
        });
  }

  /** Where one call at a time is worked on, with buffers that the next one finds in place. */
  private final class Desk {
    private final Verb verb;
    private final JsonBytes out = new JsonBytes();
    private byte[] body = new byte[1 << 14];

    Desk(Verb verb) {
      this.verb = verb;
    }

    void answer(HttpExchange exchange) throws IOException {
      out.clear();
      try (exchange) {
        int length = read(exchange.getRequestBody());
        if (length > LARGEST_BODY) {
          fail("the call is larger than %d MiB".formatted(LARGEST_BODY >> 20));
        } else {
          answer(length);
        }
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, out.size());
        out.writeTo(exchange.getResponseBody());
      }
    }

    private void answer(int length) {
      var trouble = whyNotReady.get();
      try {
        if (trouble.isPresent()) {
          verb.fail("the scheduler extender is not ready: " + trouble.get(), out);
        } else {
          verb.answer(body, length, out);
        }
      } catch (MalformedCall malformed) {
        counters.count(Counter.MALFORMED_CALLS);
        fail(malformed.getMessage());
      } catch (RuntimeException unexpected) {
        LOG.error("A call could not be answered.", unexpected);
        fail("the scheduler extender failed: " + unexpected);
      }
    }

    private void fail(String error) {
      out.clear();
      verb.fail(error, out);
    }

    /** Reads a body to its end, and one that is too large until that is known. */
    private int read(InputStream in) throws IOException {
      int length = 0;
      for (int read = 0; read >= 0; read = in.read(body, length, body.length - length)) {
        length += read;
        if (length > LARGEST_BODY) {
          return length;
        }
        if (length == body.length) {
          body = Arrays.copyOf(body, 2 * length);
        }
      }
      return length;
    }
  }

  private static void refuse(HttpExchange exchange, int code) throws IOException {
    try (exchange) {
      exchange.sendResponseHeaders(code, -1);
    }
  }

  public void start() {
    server.start();
  }

  public int port() {
    return server.getAddress().getPort();
  }

  /** Takes no more connections, and waits for the calls under way. */
  @Override
  public void close() {
    server.stop(DRAIN_SECONDS);
    calls.shutdownNow();
  }
}
