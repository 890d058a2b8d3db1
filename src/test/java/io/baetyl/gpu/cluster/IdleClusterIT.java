package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.cluster.oracle.WatchedByOracle;
import java.time.Duration;
import java.time.Instant;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A cluster in which nothing happens: nothing of ours writes to it. */
@Order(5)
@WatchedByOracle
@Tag("soak")
class IdleClusterIT {
  private static final Duration IDLE = Duration.ofSeconds(Integer.getInteger("idle.seconds", 20));

  @Test
  void nothingIsWrittenWhileNothingChanges() {
    try (var sharing =
        Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, "edge-p4", "edge-4g")) {
      sharing.run(SharingPod.of("resident", 4));
      sharing.agreed("edge-p4");
      AuditLog.awaitQuiet(Duration.ofSeconds(5));
      var start = Instant.now();

      Awaitility.await("idle time").pollDelay(IDLE).atMost(IDLE.multipliedBy(2)).until(() -> true);

      assertThat(AuditLog.writesOfOurs(start)).isEmpty();
    }
  }

  @Test
  void anObjectAppliedTwiceIsWrittenOnce() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, "edge-p4")) {
      AuditLog.awaitQuiet(Duration.ofSeconds(5));
      var before = sharing.gpuNode("edge-p4").getMetadata();
      var start = Instant.now();

      var again = new io.baetyl.gpu.api.v1alpha1.GpuNode();
      again.setMetadata(
          new io.fabric8.kubernetes.api.model.ObjectMetaBuilder().withName("edge-p4").build());
      again.setSpec(sharing.gpuNode("edge-p4").getSpec());
      sharing.client().resource(again).serverSideApply();
      AuditLog.awaitQuiet(Duration.ofSeconds(3));

      assertThat(sharing.gpuNode("edge-p4").getMetadata().getResourceVersion())
          .isEqualTo(before.getResourceVersion());
      assertThat(AuditLog.writesOfOurs(start)).isEmpty();
    }
  }
}
