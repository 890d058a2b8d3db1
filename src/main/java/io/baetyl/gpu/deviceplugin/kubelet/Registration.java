package io.baetyl.gpu.deviceplugin.kubelet;

import io.baetyl.gpu.kubelet.deviceplugin.RegisterRequest;
import io.baetyl.gpu.kubelet.deviceplugin.RegistrationGrpc;
import io.grpc.BindableService;
import io.grpc.StatusRuntimeException;
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
    LOOK,
    STOP
  }

  private final DomainSockets sockets;
  private final Path folder;
  private final String endpoint;
  private final BindableService service;
  private final Supplier<Optional<String>> resourceName;
  private final BooleanSupplier listening;
  private final SocketWatch watch;
  private final LinkedBlockingQueue<Cause> causes = new LinkedBlockingQueue<>();
  private final Thread thread;

  private PluginServer server;
  private SocketWatch.Identity registeredWith;
  private volatile String registeredAs;
  private String lastTrouble = "";

  /**
   * @param folder where the kubelet has its socket, and looks for ours
   * @param endpoint the file name of our socket
   * @param resourceName the resource to register; empty while it is not known
   * @param listening whether the kubelet has a ListAndWatch open
   */
  Registration(
      DomainSockets sockets,
      Path folder,
      String endpoint,
      BindableService service,
      Supplier<Optional<String>> resourceName,
      BooleanSupplier listening) {
    this.sockets = sockets;
    this.folder = folder;
    this.endpoint = endpoint;
    this.service = service;
    this.resourceName = resourceName;
    this.listening = listening;
    this.watch =
        new SocketWatch(folder.resolve("kubelet.sock"), () -> causes.add(Cause.NEW_SOCKET));
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
      while (cause != Cause.STOP) {
        watch.ensure();
        try {
          register(cause);
          lastTrouble = "";
        } catch (IOException | RuntimeException trouble) {
          say(trouble);
        }
        cause = next(LOOK_EVERY_MILLIS, Cause.LOOK);
        if (cause == Cause.STREAM_LOST) {
          cause = next(KUBELET_DROPS_CLIENT_MILLIS, Cause.STREAM_LOST);
        }
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private Cause next(long millis, Cause otherwise) throws InterruptedException {
    var next = causes.poll(millis, TimeUnit.MILLISECONDS);
    return next == null ? otherwise : next;
  }

  private void register(Cause cause) throws IOException, InterruptedException {
    long began = System.nanoTime();
    var resource = resourceName.get();
    var kubelet = watch.identity();
    if (resource.isEmpty() || kubelet.isEmpty()) {
      return;
    }
    boolean newKubelet = !kubelet.get().equals(registeredWith);
    boolean newResource = !resource.get().equals(registeredAs);
    boolean reachable = server != null && server.reachable();
    boolean deaf = !listening.getAsBoolean() && (cause == Cause.STREAM_LOST || cause == Cause.LOOK);
    boolean anew = newKubelet || newResource || !reachable;
    if (!anew && !deaf) {
      return;
    }
    if (anew) {
      // The old server first: both would have the same path.
      if (server != null) {
        server.abandon();
        server = null;
        causes.removeIf(queued -> queued == Cause.STREAM_LOST);
      }
      server = PluginServer.open(sockets, folder.resolve(endpoint), service);
    }
    call(resource.get());
    registeredWith = kubelet.get();
    registeredAs = resource.get();
    LOG.info(
        "Registered with the kubelet. resource={} cause={} millis={}",
        resource.get(),
        cause,
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
  }

  private void call(String resource) throws InterruptedException {
    var channel = sockets.channel(folder.resolve("kubelet.sock"));
    try {
      var request =
          RegisterRequest.newBuilder()
              .setVersion("v1beta1")
              .setEndpoint(endpoint)
              .setResourceName(resource)
              .setOptions(DevicePluginService.OPTIONS)
              .build();
      for (int attempt = 1; ; attempt++) {
        try {
          RegistrationGrpc.newBlockingStub(channel)
              .withDeadlineAfter(10, TimeUnit.SECONDS)
              .register(request);
          return;
        } catch (StatusRuntimeException refused) {
          if (attempt == QUICK_TRIES || !causes.isEmpty()) {
            throw refused;
          }
          Thread.sleep(QUICK_TRY_MILLIS);
          channel.resetConnectBackoff();
        }
      }
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

  /** Stops answering the kubelet, after what it has asked already. */
  void stop(long graceMillis) {
    watch.close();
    causes.clear();
    causes.add(Cause.STOP);
    try {
      thread.join(graceMillis);
      if (server != null) {
        server.stop(graceMillis);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (IOException leftBehind) {
      LOG.warn("Cannot remove the socket. reason={}", leftBehind.toString());
    }
  }
}
