package io.baetyl.gpu.operator;

import io.baetyl.gpu.operator.cluster.ClusterView;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Liveness;

/**
 * Not alive when some watches have been lost for minutes while others have not: a new start may
 * help. Where all are lost the API server is away, and a new start would only delay the recovery.
 */
@Liveness
@Singleton
public final class StuckWatchesCheck implements HealthCheck {
  static final Duration PATIENCE = Duration.ofMinutes(5);

  private final BooleanSupplier stuck;
  private final Clock clock;
  private Instant stuckSince;

  @Inject
  public StuckWatchesCheck(ClusterView cluster, Clock clock) {
    this(cluster::isPartlyDeaf, clock);
  }

  StuckWatchesCheck(BooleanSupplier stuck, Clock clock) {
    this.stuck = stuck;
    this.clock = clock;
  }

  @Override
  public synchronized HealthCheckResponse call() {
    var now = clock.instant();
    if (!stuck.getAsBoolean()) {
      stuckSince = null;
    } else if (stuckSince == null) {
      stuckSince = now;
    }
    boolean tooLong = stuckSince != null && stuckSince.plus(PATIENCE).isBefore(now);
    return HealthCheckResponse.named("stuck watches").status(!tooLong).build();
  }
}
