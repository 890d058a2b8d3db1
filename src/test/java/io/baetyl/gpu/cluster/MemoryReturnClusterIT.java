package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.cluster.oracle.WatchedByOracle;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The memory of a pod is free when its processes are gone: not before, whatever the API server and
 * the kubelet have forgotten, and not much later, whatever object is left.
 */
@Order(3)
@WatchedByOracle
class MemoryReturnClusterIT {
  private static final String NODE = "edge-4g";
  private static final int CARD = 16;

  /** Ways in which a pod that does not hear SIGTERM comes to its end. */
  enum End {
    /** The API server and the kubelet forget it at once, and its processes live on. */
    FORCE_DELETED {
      @Override
      void bring(Sharing sharing) {
        sharing
            .client()
            .pods()
            .inNamespace(sharing.namespace())
            .withName(HOLDER)
            .withGracePeriod(0)
            .delete();
      }
    },
    /** It is Terminating for as long as its grace lasts. */
    DELETED {
      @Override
      void bring(Sharing sharing) {
        sharing.delete(HOLDER);
      }
    },
    /** Its object stays when it is over. */
    DELETED_WITH_A_FINALIZER {
      @Override
      SharingPod holder() {
        return super.holder().finalizer("example.com/held");
      }

      @Override
      void bring(Sharing sharing) {
        sharing.delete(HOLDER);
      }

      @Override
      void clear(Sharing sharing) {
        sharing.patch(HOLDER, "{\"metadata\": {\"finalizers\": null}}");
      }
    },
    /** As by kubectl drain. */
    EVICTED {
      @Override
      void bring(Sharing sharing) {
        sharing.client().pods().inNamespace(sharing.namespace()).withName(HOLDER).evict();
      }
    },
    /** Its files are larger than it may have, so the kubelet evicts it; its object stays. */
    EVICTED_BY_THE_KUBELET {
      @Override
      SharingPod holder() {
        return super.holder().folder("/files", "1Mi");
      }

      @Override
      void bring(Sharing sharing) {
        TestCluster.kubectl(
            "exec",
            "-n",
            sharing.namespace(),
            HOLDER,
            "--",
            "dd",
            "if=/dev/zero",
            "of=/files/large",
            "bs=1M",
            "count=4");
      }
    },
    /** Its deadline has come, so the kubelet ends it; its object stays. */
    ENDED_BY_THE_KUBELET {
      @Override
      void bring(Sharing sharing) {
        sharing.patch(HOLDER, "{\"spec\": {\"activeDeadlineSeconds\": 1}}");
      }
    };

    SharingPod holder() {
      return SharingPod.named(HOLDER).deaf("main", CARD).gracePeriodSeconds(3);
    }

    abstract void bring(Sharing sharing);

    /** Removes what would keep the object for ever. */
    void clear(Sharing sharing) {}
  }

  private static final String HOLDER = "holder";

  @ParameterizedTest
  @EnumSource
  void aFullCardIsGivenOnWhenTheProcessIsGone(End end) {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      sharing.run(end.holder(), SharingPod.of("other", CARD));
      sharing.create(SharingPod.of("next", CARD));
      sharing.awaitRefusal("next", "1 Insufficient baidu.com/vcuda-memory");
      var holder = sharing.pod(HOLDER).getMetadata().getUid();
      assertThat(PodProcesses.alive(NODE, holder)).isTrue();

      end.bring(sharing);

      await("the processes of the old pod are gone, and its card was not given on before")
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(20))
          .until(
              () -> {
                boolean given = isBound(sharing, "next");
                boolean lives = PodProcesses.alive(NODE, holder);
                assertThat(given && lives).as("given on while the old process lives").isFalse();
                return !lives;
              });
      var gone = Instant.now();
      await("the next pod has the card within 2 s")
          .atMost(Duration.ofSeconds(2))
          .pollInterval(Duration.ofMillis(20))
          .until(() -> isBound(sharing, "next"));
      System.out.printf(
          "%s: the card was given on %d ms after the process was gone%n",
          end, Duration.between(gone, Instant.now()).toMillis());
      sharing.awaitRunning("next");
      end.clear(sharing);
    }
  }

  @Test
  void aPodThatTheKubeletRefusesAfterItsAllocationHoldsNothing() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      sharing.create(SharingPod.of("too-much-cpu", CARD).request("cpu", "1000").boundTo(NODE));
      await("it has failed")
          .atMost(Sharing.POD_START)
          .until(() -> "Failed".equals(sharing.pod("too-much-cpu").getStatus().getPhase()));
      assertThat(sharing.pod("too-much-cpu").getStatus().getReason()).isEqualTo("OutOfcpu");

      sharing.create(SharingPod.of("one", CARD));
      sharing.create(SharingPod.of("two", CARD));

      sharing.awaitRunning("one", Duration.ofSeconds(15));
      sharing.awaitRunning("two", Duration.ofSeconds(15));
      assertThat(sharing.agreed(NODE)).hasSize(2);
    }
  }

  private static boolean isBound(Sharing sharing, String pod) {
    return sharing.pod(pod).getSpec().getNodeName() != null;
  }
}
