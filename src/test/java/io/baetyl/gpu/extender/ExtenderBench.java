package io.baetyl.gpu.extender;

import io.baetyl.gpu.extender.counting.Counters;
import io.baetyl.gpu.extender.counting.Counters.Counter;
import io.baetyl.gpu.extender.filtering.Filter;
import io.baetyl.gpu.extender.picture.Nodes;
import io.baetyl.gpu.extender.picture.Picture;
import io.baetyl.gpu.extender.pods.Pods;
import io.baetyl.gpu.extender.serving.Certificates;
import io.baetyl.gpu.extender.serving.ExtenderServer;
import io.baetyl.gpu.extender.serving.TlsFiles;
import io.baetyl.gpu.extender.waking.WaitingPods;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;

/**
 * Prints how long filter takes over one connection that is kept, from the first byte sent to the
 * last received, with 5,000 nodes of 8 cards and 20,000 pods in the picture; and what the process
 * holds in memory. Client and server share the process, so its memory is an upper bound.
 */
final class ExtenderBench {
  private static final int NODES = 5_000;
  private static final int PODS_PER_NODE = 4;
  private static final int WARM_UP = 3_000;
  private static final int CALLS = 3_000;

  private ExtenderBench() {}

  public static void main(String[] args) throws Exception {
    long started = System.nanoTime();
    var picture = new Picture(Clock.systemUTC());
    for (int node = 0; node < NODES; node++) {
      picture.put(Nodes.sharing(name(node), 64, 64, 64, 64, 64, 64, 64, 64));
      for (int pod = 0; pod < PODS_PER_NODE; pod++) {
        picture.put(
            Pods.bound(
                Pods.waiting("p-" + node + "-" + pod, 10), name(node), name(node) + "-" + pod));
      }
    }
    System.out.printf(
        "picture of %,d nodes and %,d pods made in %.2f s%n",
        NODES, NODES * PODS_PER_NODE, (System.nanoTime() - started) / 1e9);
    var folder = Files.createTempDirectory("extender-bench");
    var authority = new Certificates();
    authority.writeServer(folder, authority.issue("extender"));
    var client = authority.client(authority.issue("kube-scheduler"));
    measure(picture, null, null);
    measure(picture, new TlsFiles(folder).context(), client);
    System.out.printf("RSS %s, with the client in it%n", rss());
  }

  private static void measure(Picture picture, SSLContext tls, SSLContext client)
      throws IOException {
    try (var server =
        new ExtenderServer(
            new InetSocketAddress("127.0.0.1", 0), tls, Optional::empty, new Counters())) {
      var waiting = new WaitingPods(Clock.systemUTC());
      server.serve("/filter", Counter.FILTER_CALLS, () -> new Filter(picture, waiting));
      server.start();
      var address = new InetSocketAddress("127.0.0.1", server.port());
      try (var socket = client == null ? new Socket() : client.getSocketFactory().createSocket()) {
        socket.connect(address);
        socket.setTcpNoDelay(true);
        for (int names : new int[] {100, 1_000, 5_000}) {
          print(tls == null ? "HTTP" : "HTTPS", "all pass", names, socket, request(names, 8));
          print(tls == null ? "HTTP" : "HTTPS", "all fail", names, socket, request(names, 70));
        }
      }
    }
  }

  private static void print(String scheme, String what, int names, Socket socket, byte[] request)
      throws IOException {
    var in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
    var out = socket.getOutputStream();
    int answer = 0;
    for (int call = 0; call < WARM_UP; call++) {
      answer = call(in, out, request);
    }
    var nanos = new long[CALLS];
    for (int call = 0; call < CALLS; call++) {
      long from = System.nanoTime();
      call(in, out, request);
      nanos[call] = System.nanoTime() - from;
    }
    Arrays.sort(nanos);
    System.out.printf(
        "filter %-5s %s %,6d names: p50 %.3f ms, p99 %.3f ms, question %,d bytes, answer %,d%n",
        scheme,
        what,
        names,
        nanos[CALLS / 2] / 1e6,
        nanos[CALLS * 99 / 100] / 1e6,
        request.length,
        answer);
  }

  private static int call(InputStream in, OutputStream out, byte[] request) throws IOException {
    out.write(request);
    out.flush();
    int length = -1;
    for (var line = line(in); !line.isEmpty(); line = line(in)) {
      if (line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:")) {
        length = Integer.parseInt(line.substring(line.indexOf(':') + 1).strip());
      }
    }
    in.skipNBytes(length);
    return length;
  }

  private static String line(InputStream in) throws IOException {
    var line = new StringBuilder();
    for (int character = in.read(); character != '\n'; character = in.read()) {
      if (character != '\r') {
        line.append((char) character);
      }
    }
    return line.toString();
  }

  private static byte[] request(int names, int units) {
    var body =
        "{\"Pod\":%s,\"Nodes\":null,\"NodeNames\":[%s]}"
            .formatted(
                Pods.json("asking", units, 0),
                IntStream.range(0, names)
                    .mapToObj(node -> '"' + name(node) + '"')
                    .collect(Collectors.joining(",")));
    return ("POST /filter HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Content-Length: %d\r\n\r\n%s".formatted(body.length(), body))
        .getBytes(StandardCharsets.UTF_8);
  }

  private static String name(int node) {
    return "ip-10-%d-%d-%d.eu-central-1.compute.internal"
        .formatted(node / 4096, node / 64 % 64, node % 64);
  }

  private static String rss() throws IOException {
    try (var lines = Files.lines(Path.of("/proc/self/status"))) {
      return lines.filter(line -> line.startsWith("VmRSS")).findFirst().orElse("unknown");
    }
  }
}
