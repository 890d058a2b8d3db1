package io.baetyl.gpu.cluster.oracle;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.awaitility.core.ConditionTimeoutException;

/** Looks at every node of the cluster again and again, from a thread of its own. */
final class Watch implements AutoCloseable {
  private static final Set<String> RESOURCES =
      Set.of("baidu.com/vcuda-memory", "example.com/vcuda-memory");
  private static final String NODE = "node-";
  private static final long PAUSE_MILLIS = 100;

  /** How long a look at all nodes may take on a busy machine, an API server that hangs included. */
  private static final Duration LOOK = Duration.ofSeconds(20);

  private static final long STATUS_EVERY_NANOS = 1_000_000_000;
  private static final ObjectMapper JSON = new ObjectMapper();

  private record Node(long pid, NodeFiles files, Judge judge) {}

  private final Path processes;
  private final Supplier<Map<String, Observation.StatusClaim>> status;
  private final Consumer<Violation> onViolation;
  private final Map<String, Node> nodes = new HashMap<>();
  private final Set<String> containers = new HashSet<>();
  private final Thread thread;
  private long statusNanos;
  private volatile long looks;
  private volatile int containersSeen;
  private volatile int claimsSeen;

  /**
   * @param state the folder where the cluster keeps what it runs
   * @param status what the GpuNodes claim
   * @param onViolation told of each
   */
  Watch(
      Path state,
      Supplier<Map<String, Observation.StatusClaim>> status,
      Consumer<Violation> onViolation) {
    this.processes = state.resolve("run");
    this.status = status;
    this.onViolation = onViolation;
    this.statusNanos = System.nanoTime() - STATUS_EVERY_NANOS;
    this.thread = Thread.ofPlatform().name("oracle").daemon().start(this::run);
  }

  /** How often all nodes have been looked at. */
  long looks() {
    return looks;
  }

  /** How many containers with a card have been seen. */
  int containersSeen() {
    return containersSeen;
  }

  /** How many GpuNodes have been read, each time counted. */
  int claimsSeen() {
    return claimsSeen;
  }

  /** Waits until all nodes have been looked at once more; false where that fails. */
  boolean looksOnceMore() {
    // One may be under way, which began before.
    long enough = looks + 2;
    try {
      await().atMost(LOOK).pollInterval(Duration.ofMillis(20)).until(() -> looks >= enough);
      return true;
    } catch (ConditionTimeoutException blind) {
      return false;
    }
  }

  private void run() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        try {
          look();
        } catch (IOException | RuntimeException blind) {
          onViolation.accept(new Violation("every node", "nothing can be seen: " + blind, ""));
        }
        Thread.sleep(PAUSE_MILLIS);
      }
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  private void look() throws IOException {
    Map<String, Observation.StatusClaim> claims = Map.of();
    if (System.nanoTime() - statusNanos >= STATUS_EVERY_NANOS) {
      claims = status.get();
      claimsSeen += claims.size();
      statusNanos = System.nanoTime();
    }
    for (var running : runningNodes().entrySet()) {
      var node = nodes.compute(running.getKey(), (name, known) -> node(name, running, known));
      try {
        var at = Instant.now();
        var books = node.files().books();
        var observation =
            new Observation(
                running.getKey(),
                at,
                books,
                node.files().running(),
                Optional.ofNullable(claims.get(running.getKey())));
        observation.running().forEach(container -> containers.add(container.containerId()));
        node.judge().judge(observation).ifPresent(onViolation);
      } catch (IOException | UncheckedIOException beingRebooted) {
        if (node.files().exists()) {
          throw beingRebooted;
        }
      }
    }
    containersSeen = containers.size();
    looks++;
  }

  private static Node node(String name, Map.Entry<String, Long> running, Node known) {
    if (known != null && known.pid() == running.getValue()) {
      return known;
    }
    return new Node(
        running.getValue(),
        new NodeFiles(name, running.getValue(), RESOURCES),
        known == null ? new Judge(name) : known.judge());
  }

  /** Name of a node → its first process. */
  private Map<String, Long> runningNodes() {
    var found = new HashMap<String, Long>();
    if (!Files.isDirectory(processes)) {
      return found;
    }
    try (var records = Files.newDirectoryStream(processes, NODE + "*.json")) {
      for (var file : records) {
        var record = JSON.readTree(Files.readString(file));
        found.put(
            record.path("name").asText().substring(NODE.length()), record.path("pid").asLong());
      }
    } catch (IOException | RuntimeException beingWritten) {
      return Map.of();
    }
    return found;
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
