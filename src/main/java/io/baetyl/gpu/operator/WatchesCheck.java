package io.baetyl.gpu.operator;

import io.baetyl.gpu.operator.cluster.ClusterView;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/** Ready while the operator sees the cluster; a watch can die without a word. */
@Readiness
@Singleton
public final class WatchesCheck implements HealthCheck {
  private final ClusterView cluster;

  public WatchesCheck(ClusterView cluster) {
    this.cluster = cluster;
  }

  @Override
  public HealthCheckResponse call() {
    var deaf = cluster.deaf();
    var response = HealthCheckResponse.named("watches").status(deaf.isEmpty());
    return deaf.isEmpty()
        ? response.build()
        : response.withData("lost", String.join(", ", deaf)).build();
  }
}
