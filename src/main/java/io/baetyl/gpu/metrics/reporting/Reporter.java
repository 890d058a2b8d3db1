package io.baetyl.gpu.metrics.reporting;

import io.baetyl.gpu.accelerator.RuntimeFinding;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.FieldManagers;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.metrics.watching.Survey;
import io.baetyl.gpu.metrics.watching.WatchedDevice;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the GpuNode's status true. Not for more than one thread at a time; it waits for the API
 * server.
 */
public final class Reporter {
  private static final Logger LOG = LoggerFactory.getLogger(Reporter.class);
  private static final Duration BETWEEN_FIGURES = Duration.ofSeconds(10);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(5);

  /** Writes a status by server-side apply; the answer is what the API server has now. */
  public interface StatusWriter {
    GpuNode apply(GpuNode fresh);
  }

  /** Looks whether containers can be given devices. */
  public interface RuntimeCheck {
    /**
     * @param type of the devices
     * @param devices their ids
     */
    RuntimeFinding look(AcceleratorType type, Collection<String> devices);
  }

  private final NodeView view;
  private final Supplier<Survey> survey;
  private final RuntimeCheck runtime;
  private final StatusWriter writer;
  private final Clock clock;
  private Instant lastWrite = Instant.MIN;
  private Instant notBefore = Instant.MIN;
  private Optional<String> trouble = Optional.empty();

  /**
   * @param runtime looks whether containers can be given the devices
   */
  public Reporter(
      NodeView view,
      Supplier<Survey> survey,
      RuntimeCheck runtime,
      StatusWriter writer,
      Clock clock) {
    this.view = view;
    this.survey = survey;
    this.runtime = runtime;
    this.writer = writer;
    this.clock = clock;
  }

  /** Writes what has changed, if anything has and its time has come. */
  public void reconcile() {
    var now = clock.instant();
    var known = survey.get();
    if (!known.settled() || now.isBefore(notBefore)) {
      return;
    }
    view.node().ifPresent(node -> reconcile(node, known, now));
  }

  private void reconcile(GpuNode node, Survey known, Instant now) {
    var held =
        node.statusOrEmpty().allocations().stream()
            .map(Allocation::device)
            .collect(Collectors.toSet());
    List<WatchedDevice> counting = known.counting(held);
    var ids = counting.stream().map(watched -> watched.device().id()).toList();
    var written = Report.in(node.statusOrEmpty());
    var report =
        Findings.report(
                node,
                known,
                counting,
                view.rules(),
                runtime.look(known.type(), ids),
                now.truncatedTo(ChronoUnit.SECONDS))
            .since(written);
    if (report.equals(written)) {
      return;
    }
    if (report.differsInDeed(written) || !now.isBefore(lastWrite.plus(BETWEEN_FIGURES))) {
      write(node, report, now);
    }
  }

  private void write(GpuNode node, Report report, Instant now) {
    var fresh = new GpuNode();
    fresh.getMetadata().setName(node.getMetadata().getName());
    fresh.setStatus(report.status());
    try {
      view.see(writer.apply(fresh));
      lastWrite = now;
      report(Optional.empty());
    } catch (RuntimeException refused) {
      notBefore = now.plus(AFTER_FAILURE);
      report(Optional.of(String.valueOf(refused.getMessage())));
    }
  }

  private void report(Optional<String> latest) {
    if (!latest.equals(trouble)) {
      trouble = latest;
      latest.ifPresentOrElse(
          why ->
              LOG.warn(
                  "Cannot write the GpuNode's status; trying again. manager={} reason={}",
                  FieldManagers.METRICS,
                  why),
          () -> LOG.info("The GpuNode's status is written again."));
    }
  }
}
