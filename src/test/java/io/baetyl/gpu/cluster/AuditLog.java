package io.baetyl.gpu.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.awaitility.Awaitility;

/** What the API server was asked to write, by its audit log. */
final class AuditLog {
  private static final Set<String> WRITES = Set.of("create", "update", "patch", "delete");
  private static final ObjectMapper JSON = new ObjectMapper();

  private AuditLog() {}

  /** Writes by service accounts of the product since a moment, leases and Events aside. */
  static List<String> writesOfOurs(Instant since) {
    try (var lines = Files.lines(Path.of(TestCluster.dev("audit-log").strip()))) {
      return lines
          .map(AuditLog::parse)
          .filter(event -> event.path("stage").asText().equals("ResponseComplete"))
          .filter(
              event ->
                  Instant.parse(event.path("requestReceivedTimestamp").asText()).isAfter(since))
          .filter(event -> WRITES.contains(event.path("verb").asText()))
          .filter(event -> event.path("user").path("username").asText().contains(":baetyl-"))
          .filter(event -> !event.path("objectRef").path("resource").asText().equals("leases"))
          .map(
              event ->
                  "%s %s by %s"
                      .formatted(
                          event.path("verb").asText(),
                          event.path("requestURI").asText(),
                          event.path("user").path("username").asText()))
          .toList();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private static JsonNode parse(String line) {
    try {
      return JSON.readTree(line);
    } catch (JsonProcessingException halfWritten) {
      return JSON.createObjectNode();
    }
  }

  /** Waits until nothing of ours has been written for a while. */
  static void awaitQuiet(Duration quiet) {
    Awaitility.await("no writes for " + quiet)
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofSeconds(1))
        .until(() -> writesOfOurs(Instant.now().minus(quiet)).isEmpty());
  }
}
