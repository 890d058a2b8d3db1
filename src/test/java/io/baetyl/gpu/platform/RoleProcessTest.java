package io.baetyl.gpu.platform;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RoleProcessTest {
  private static final Logger LOG = Logger.getLogger(RoleProcess.class.getName());

  private final List<LogRecord> log = new ArrayList<>();
  private final Handler listener =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          log.add(line);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    LOG.addHandler(listener);
  }

  @AfterEach
  void stopListening() {
    LOG.removeHandler(listener);
  }

  static Stream<Exception> whatAUserCanMend() {
    return Stream.of(
        new IOException("cannot read tls.key of --tls-dir"),
        new KubernetesClientException("cannot read tls.key of --tls-dir"));
  }

  @ParameterizedTest
  @MethodSource("whatAUserCanMend")
  void whatAUserCanMendIsSaidInOneLine(Exception trouble) {
    assertThat(RoleProcess.start(List.of(failing(trouble)))).isFalse();

    assertThat(log)
        .singleElement()
        .satisfies(
            line -> {
              assertThat(formatted(line))
                  .isEqualTo("Cannot start: cannot read tls.key of --tls-dir");
              assertThat(line.getThrown()).isNull();
            });
  }

  static Stream<Throwable> faultsOfTheProgram() {
    return Stream.of(new NullPointerException(), new NoClassDefFoundError("io/grpc/Server"));
  }

  @ParameterizedTest
  @MethodSource("faultsOfTheProgram")
  void aFaultOfTheProgramIsSaidWithItsTrace(Throwable bug) {
    assertThat(RoleProcess.start(List.of(failing(bug)))).isFalse();

    assertThat(log)
        .singleElement()
        .satisfies(
            line -> {
              assertThat(formatted(line)).isEqualTo("Cannot start, by a fault of the program");
              assertThat(line.getThrown()).isSameAs(bug);
            });
  }

  @Test
  void rolesStartInTheirOrderUntilOneCannot() {
    var started = new ArrayList<String>();

    boolean all =
        RoleProcess.start(
            List.of(
                starting(() -> started.add("first")),
                failing(new IOException("second")),
                starting(() -> started.add("third"))));

    assertThat(all).isFalse();
    assertThat(started).containsExactly("first");
  }

  private static String formatted(LogRecord line) {
    return line instanceof org.jboss.logmanager.ExtLogRecord ext
        ? ext.getFormattedMessage()
        : line.getMessage();
  }

  private static Role failing(Throwable trouble) {
    return starting(
        () -> {
          RoleProcessTest.<RuntimeException>sneak(trouble);
        });
  }

  /** Of whatever kind, as if the role had declared it. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> void sneak(Throwable trouble) throws T {
    throw (T) trouble;
  }

  private static Role starting(Runnable start) {
    return new Role() {
      @Override
      public void start() {
        start.run();
      }

      @Override
      public void close() {}
    };
  }
}
