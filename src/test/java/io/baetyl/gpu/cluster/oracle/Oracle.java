package io.baetyl.gpu.cluster.oracle;

import io.baetyl.gpu.cluster.Command;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Watches for as long as tests run, and stops the one during which it sees a violation. */
final class Oracle implements AutoCloseable {
  private final Path kubeconfig;
  private final Watch watch;
  private final Set<String> told = new HashSet<>();
  private StatusReader statusReader;
  private Violation violation;
  private Thread test;

  Oracle() {
    var logs = Command.run(Duration.ofMinutes(1), List.of("dev/cluster", "logs")).strip();
    var state = Path.of(logs).getParent();
    kubeconfig = state.resolve("kubeconfig");
    watch = new Watch(state, this::status, this::seen);
  }

  Watch watch() {
    return watch;
  }

  private Map<String, Observation.StatusClaim> status() {
    if (statusReader == null && Files.exists(kubeconfig)) {
      statusReader = connect();
    }
    return statusReader == null ? Map.of() : statusReader.read();
  }

  private StatusReader connect() {
    try {
      var config = Config.fromKubeconfig(Files.readString(kubeconfig));
      return new StatusReader(
          new KubernetesClientBuilder()
              .withHttpClientFactory(new JdkHttpClientFactory())
              .withConfig(
                  new ConfigBuilder(config)
                      .withClientKeyAlgo("EC")
                      .withRequestTimeout(2000)
                      .withRequestRetryBackoffLimit(0)
                      .build())
              .build());
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /**
   * Each kind of violation is told once: a world that stays wrong is not to fail all that follows.
   */
  private synchronized void seen(Violation seen) {
    if (told.add(seen.getMessage().lines().findFirst().orElse(""))) {
      System.err.println("ORACLE: " + seen.getMessage());
      if (violation == null) {
        violation = seen;
        if (test != null) {
          test.interrupt();
        }
      }
    }
  }

  /** A test begins on this thread. */
  synchronized void begins() {
    test = Thread.currentThread();
    if (violation != null) {
      test.interrupt();
    }
  }

  /**
   * The test of this thread is over, or all of its class are.
   *
   * @param failure what it failed with, or null
   * @throws Violation where there was one since the last test, up to now
   */
  void ends(Throwable failure) {
    noTestRuns();
    boolean sees = watch.looksOnceMore();
    tell(failure);
    if (!sees && failure == null) {
      throw new AssertionError("the oracle is blind, and so has nothing to say of this test");
    }
  }

  private synchronized void noTestRuns() {
    test = null;
    // What the interrupt has not reached is not to reach the next test.
    Thread.interrupted();
  }

  private synchronized void tell(Throwable failure) {
    if (violation != null) {
      var thrown = violation;
      violation = null;
      if (failure != null) {
        thrown.addSuppressed(failure);
      }
      throw thrown;
    }
  }

  /**
   * Ends when no more tests follow.
   *
   * @throws Violation where there was one since the last class that was watched
   */
  @Override
  public void close() {
    watch.close();
    tell(null);
  }
}
