package io.baetyl.gpu.deviceplugin.kubelet;

import io.baetyl.gpu.kubelet.deviceplugin.RegisterRequest;
import io.baetyl.gpu.kubelet.deviceplugin.RegistrationGrpc;
import io.grpc.BindableService;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the plugin registered with the kubelet, which forgets its plugins with every restart and
 * then fails running pods whose units are not back in time. So a new socket of the kubelet is
 * answered at once, and every lost ListAndWatch with a new registration.
 */
final class Registration {
  private static final Logger LOG = LoggerFactory.getLogger(Registration.class);

  private static final long LOOK_EVERY_MILLIS = 1000;

  /** A socket refuses calls between its creation and its listening: microseconds. */
  private static final int QUICK_TRIES = 50;

  private static final long QUICK_TRY_MILLIS = 2;

  /**
   * When only our stream broke, the kubelet still has to drop the old client, and would drop the
   * new one instead if that came first.
   */
  private static final long KUBELET_DROPS_CLIENT_MILLIS = 50;

  private enum Cause {
    NEW_SOCKET,
    STREAM_LOST,
    CHANGED,
    LOOK
  }

  /** What the server on our socket was opened for. */
  private record Target(SocketWatch.Identity kubelet, String resource) {}

  private final DomainSockets sockets;
  private final Path folder;
  private final String endpoint;
  private final BindableService service;
  private final Supplier<Optional<String>> resourceName;
  private final BooleanSupplier listening;
  private final SocketWatch watch;
  private final LinkedBlockingQueue<Cause> causes = new LinkedBlockingQueue<>();
  private final Thread thread;

  private volatile PluginServer server;
  private Target target;
  private boolean registered;
  private volatile String registeredAs;
  private String lastTrouble = "";

  /**
   * @param folder where the kubelet has its socket, and looks for ours
   * @param endpoint the file name of our socket
   * @param watches where watches of the folder are had from
   * @param resourceName the resource to register; empty while it is not known
   * @param listening whether the kubelet has a ListAndWatch open
   */
  Registration(
      DomainSockets sockets,
      Path folder,
      String endpoint,
      BindableService service,
      SocketWatch.Watches watches,
      Supplier<Optional<String>> resourceName,
      BooleanSupplier listening) {
    this.sockets = sockets;
    this.folder = folder;
    this.endpoint = endpoint;
    this.service = service;
    this.resourceName = resourceName;
    this.listening = listening;
    this.watch =
        new SocketWatch(
            folder.resolve("kubelet.sock"), watches, () -> causes.add(Cause.NEW_SOCKET));
    this.thread = Thread.ofPlatform().name("registration").daemon().unstarted(this::run);
  }

  void start() {
    watch.ensure();
    thread.start();
  }

  /** The resource to register may be another one now. */
  void changed() {
    if (!resourceName.get().equals(Optional.ofNullable(registeredAs))) {
      causes.add(Cause.CHANGED);
    }
  }

  void streamLost() {
    causes.add(Cause.STREAM_LOST);
  }

  private void run() {
    try {
      var cause = Cause.LOOK;
      int refusals = 0;
      while (true) {
        watch.ensure();
        try {
          register(cause);
          refusals = 0;
          lastTrouble = "";
        } catch (IOException | RuntimeException trouble) {
          refusals++;
          if (refusals >= QUICK_TRIES) {
            say(trouble);
          }
        }
        boolean quick = refusals > 0 && refusals < QUICK_TRIES;
        var heard = hear(quick ? QUICK_TRY_MILLIS : LOOK_EVERY_MILLIS);
        if (heard.isPresent()) {
          refusals = 0;
        }
        cause = heard.orElse(quick ? cause : Cause.LOOK);
      }
    } catch (InterruptedException ceasing) {
      Thread.currentThread().interrupt();
    }
  }

  private Optional<Cause> hear(long millis) throws InterruptedException {
    var heard = causes.poll(millis, TimeUnit.MILLISECONDS);
    if (heard == Cause.STREAM_LOST) {
      var other = causes.poll(KUBELET_DROPS_CLIENT_MILLIS, TimeUnit.MILLISECONDS);
      return Optional.of(other == null ? heard : other);
    }
    return Optional.ofNullable(heard);
  }

  private void register(Cause cause) throws IOException {
    long began = System.nanoTime();
    var resource = resourceName.get();
    var kubelet = watch.identity();
    if (resource.isEmpty() || kubelet.isEmpty()) {
      return;
    }
    var wanted = new Target(kubelet.get(), resource.get());
    boolean deaf = !listening.getAsBoolean() && (cause == Cause.STREAM_LOST || cause == Cause.LOOK);
    if (!wanted.equals(target) || !server.reachable()) {
      open(wanted);
    } else if (registered && !deaf) {
      return;
    }
    call(resource.get());
    registered = true;
    registeredAs = resource.get();
    LOG.info(
        "Registered with the kubelet. resource={} cause={} millis={}",
        resource.get(),
        cause,
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
  }

  private void open(Target wanted) throws IOException {
    registered = false;
    target = null;
    // The old server first: both would have the same path.
    if (server != null) {
      server.abandon();
      server = null;
      causes.removeIf(queued -> queued == Cause.STREAM_LOST);
    }
    server = PluginServer.open(sockets, folder.resolve(endpoint), service);
    target = wanted;
  }

  private void call(String resource) {
    var channel = sockets.channel(folder.resolve("kubelet.sock"));
    try {
      RegistrationGrpc.newBlockingStub(channel)
          .withDeadlineAfter(10, TimeUnit.SECONDS)
          .register(
              RegisterRequest.newBuilder()
                  .setVersion("v1beta1")
                  .setEndpoint(endpoint)
                  .setResourceName(resource)
                  .setOptions(DevicePluginService.OPTIONS)
                  .build());
    } finally {
      channel.shutdownNow();
    }
  }

  private void say(Exception trouble) {
    if (!trouble.toString().equals(lastTrouble)) {
      lastTrouble = trouble.toString();
      LOG.warn("Cannot register with the kubelet; trying on. reason={}", lastTrouble);
    }
  }

  /** Registers no more: whoever ends the streams would be registered again for it otherwise. */
  void cease(long graceMillis) {
    watch.close();
    thread.interrupt();
    try {
      thread.join(graceMillis);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Stops answering the kubelet, after what it has asked already; to be called when it has ceased.
   */
  void stop(long graceMillis) {
    var running = server;
    if (running != null) {
      try {
        running.stop(graceMillis);
      } catch (IOException leftBehind) {
        LOG.warn("Cannot remove the socket. reason={}", leftBehind.toString());
      }
    }
  }
}
