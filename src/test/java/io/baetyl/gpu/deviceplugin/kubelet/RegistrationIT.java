package io.baetyl.gpu.deviceplugin.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.kubelet.deviceplugin.DevicePluginGrpc.DevicePluginImplBase;
import io.baetyl.gpu.kubelet.deviceplugin.Empty;
import io.baetyl.gpu.kubelet.deviceplugin.RegisterRequest;
import io.baetyl.gpu.kubelet.deviceplugin.RegistrationGrpc.RegistrationImplBase;
import io.grpc.Server;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When the plugin registers, and when not any more, opposite a kubelet that never listens. */
final class RegistrationIT {
  private static final String SOCKET = "plugin.sock";

  @TempDir Path folder;
  private final DomainSockets sockets = new DomainSockets();
  private final List<String> registered = new CopyOnWriteArrayList<>();
  private volatile Optional<String> resource = Optional.of("example.com/gpu");
  private volatile boolean answering = true;
  private volatile boolean listening;
  private volatile boolean watchesLeft = true;
  private Server kubelet;
  private Registration registration;

  @BeforeEach
  void start() throws IOException {
    kubelet = sockets.server(folder.resolve("kubelet.sock")).addService(new Registrar()).build();
    kubelet.start();
    registration =
        new Registration(
            sockets,
            folder,
            SOCKET,
            new DevicePluginImplBase() {},
            this::watches,
            () -> resource,
            () -> listening);
  }

  @AfterEach
  void stop() {
    registration.cease(1000);
    registration.stop(1000);
    kubelet.shutdownNow();
    sockets.close();
  }

  @Test
  void whileTheKubeletDoesNotListenItIsAskedAgain() {
    registration.start();

    await().untilAsserted(() -> assertThat(registered).hasSizeGreaterThan(2));
    assertThat(registered).containsOnly("example.com/gpu");
  }

  /** UR-B01: other programs of the node have used up what its kernel has of watches. */
  @Test
  void withoutAWatchANewKubeletIsFoundWithinASecondOrTwo() throws Exception {
    watchesLeft = false;
    listening = true;
    registration.start();
    await().untilAsserted(() -> assertThat(registered).hasSize(1));

    restartKubelet();

    await().atMost(Duration.ofSeconds(2)).untilAsserted(() -> assertThat(registered).hasSize(2));

    watchesLeft = true;
    // The next look takes one.
    await().pollDelay(Duration.ofMillis(1100)).until(() -> true);
    long before = System.nanoTime();
    restartKubelet();
    await()
        .pollInterval(Duration.ofMillis(5))
        .untilAsserted(() -> assertThat(registered).hasSize(3));
    assertThat(Duration.ofNanos(System.nanoTime() - before))
        .as("it is told of the socket again")
        .isLessThan(Duration.ofMillis(500));
  }

  private void restartKubelet() throws Exception {
    kubelet.shutdownNow().awaitTermination();
    Files.deleteIfExists(folder.resolve("kubelet.sock"));
    kubelet =
        sockets.server(folder.resolve("kubelet.sock")).addService(new Registrar()).build().start();
  }

  private WatchService watches() throws IOException {
    if (!watchesLeft) {
      throw new IOException("User limit of inotify instances reached or too many open files");
    }
    return folder.getFileSystem().newWatchService();
  }

  @Test
  void anotherResourceIsRegisteredAtOnce() {
    registration.start();
    await().untilAsserted(() -> assertThat(registered).isNotEmpty());
    resource = Optional.of("example.com/other");

    registration.changed();

    await()
        .atMost(Duration.ofMillis(900))
        .untilAsserted(() -> assertThat(registered).contains("example.com/other"));
  }

  @Test
  void whereThereIsNothingToShareNothingIsRegistered() {
    resource = Optional.empty();

    registration.start();

    await()
        .during(Duration.ofMillis(1200))
        .untilAsserted(
            () -> {
              assertThat(registered).isEmpty();
              assertThat(folder.resolve(SOCKET)).doesNotExist();
            });
  }

  @Test
  void whoHasCeasedRegistersNoMoreAlthoughItsStreamEnds() {
    registration.start();
    await().untilAsserted(() -> assertThat(registered).isNotEmpty());

    registration.cease(1000);
    int before = registered.size();
    registration.streamLost();

    await()
        .during(Duration.ofMillis(1200))
        .untilAsserted(() -> assertThat(registered).hasSize(before));
    assertThat(folder.resolve(SOCKET)).as("what was asked can be answered still").exists();
    registration.stop(1000);
    assertThat(folder.resolve(SOCKET)).doesNotExist();
  }

  @Test
  void aKubeletThatDoesNotAnswerHoldsNoStopUp() {
    answering = false;
    registration.start();
    await().untilAsserted(() -> assertThat(registered).hasSize(1));

    assertThat(CompletableFuture.runAsync(() -> registration.cease(60_000)))
        .succeedsWithin(Duration.ofSeconds(5));
  }

  private final class Registrar extends RegistrationImplBase {
    @Override
    public void register(RegisterRequest request, StreamObserver<Empty> answer) {
      registered.add(request.getResourceName());
      if (answering) {
        answer.onNext(Empty.getDefaultInstance());
        answer.onCompleted();
      }
    }
  }
}
