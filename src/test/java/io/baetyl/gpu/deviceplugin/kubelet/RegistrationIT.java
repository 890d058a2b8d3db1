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
import java.nio.file.Path;
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
  private Server kubelet;
  private Registration registration;

  @BeforeEach
  void start() throws IOException {
    kubelet = sockets.server(folder.resolve("kubelet.sock")).addService(new Registrar()).build();
    kubelet.start();
    registration =
        new Registration(
            sockets, folder, SOCKET, new DevicePluginImplBase() {}, () -> resource, () -> false);
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
