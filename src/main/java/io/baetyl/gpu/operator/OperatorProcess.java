package io.baetyl.gpu.operator;

import io.baetyl.gpu.operator.cluster.ClusterView;
import io.baetyl.gpu.operator.components.ComponentsLoop;
import io.baetyl.gpu.operator.labellednodes.LabelledNodes;
import io.baetyl.gpu.operator.refusedpods.RefusedPods;
import io.javaoperatorsdk.operator.Operator;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts the operator's parts in their order, and stops them in the opposite one. */
@Singleton
public final class OperatorProcess {
  private static final Logger LOG = LoggerFactory.getLogger(OperatorProcess.class);

  private final ClusterView cluster;
  private final ComponentsLoop components;
  private final RefusedPods refusedPods;
  private final LabelledNodes labelledNodes;
  private final Operator operator;

  public OperatorProcess(
      ClusterView cluster,
      ComponentsLoop components,
      RefusedPods refusedPods,
      LabelledNodes labelledNodes,
      Operator operator) {
    this.cluster = cluster;
    this.components = components;
    this.refusedPods = refusedPods;
    this.labelledNodes = labelledNodes;
    this.operator = operator;
  }

  /** Whoever decides on an empty cache would take the cluster for empty. */
  void start(@Observes StartupEvent event) {
    cluster.start();
    components.start();
    refusedPods.start();
    labelledNodes.start();
    operator.start();
    LOG.info("The operator runs. gpuNodes={}", cluster.gpuNodes().size());
  }

  void stop(@Observes ShutdownEvent event) {
    operator.stop();
    labelledNodes.stop();
    refusedPods.stop();
    components.stop();
    cluster.stop();
  }

  @Produces
  @Singleton
  static Clock clock() {
    return Clock.systemUTC();
  }
}
