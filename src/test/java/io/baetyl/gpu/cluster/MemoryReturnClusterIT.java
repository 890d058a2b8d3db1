package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.cluster.oracle.WatchedByOracle;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
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
      void bring(Sharing sharing, String pod) {
        sharing
            .client()
            .pods()
            .inNamespace(sharing.namespace())
            .withName(pod)
            .withGracePeriod(0)
            .delete();
      }
    },
    /** It is Terminating for as long as its grace lasts. */
    DELETED {
      @Override
      void bring(Sharing sharing, String pod) {
        sharing.delete(pod);
      }
    },
    /** Its object stays when it is over. */
    DELETED_WITH_A_FINALIZER {
      @Override
      SharingPod holder() {
        return super.holder().finalizer("example.com/held");
      }

      @Override
      void bring(Sharing sharing, String pod) {
        sharing.delete(pod);
      }

      @Override
      void clear(Sharing sharing) {
        sharing.patch(HOLDER, "{\"metadata\": {\"finalizers\": null}}");
      }
    },
    /** As by kubectl drain. */
    EVICTED {
      @Override
      void bring(Sharing sharing, String pod) {
        sharing.client().pods().inNamespace(sharing.namespace()).withName(pod).evict();
      }
    },
    /** Its files are larger than it may have, so the kubelet evicts it; its object stays. */
    EVICTED_BY_THE_KUBELET {
      @Override
      SharingPod holder() {
        return super.holder().folder("/files", "1Mi");
      }

      @Override
      void bring(Sharing sharing, String pod) {
        TestCluster.kubectl(
            "exec",
            "-n",
            sharing.namespace(),
            pod,
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
      void bring(Sharing sharing, String pod) {
        sharing.patch(pod, "{\"spec\": {\"activeDeadlineSeconds\": 1}}");
      }
    },
    /** It has done its work; the objects of the Job and of its pod stay. */
    A_FINISHED_JOB {
      @Override
      String create(Sharing sharing) {
        var template = sharing.here(SharingPod.of(HOLDER, CARD).once()).build();
        sharing
            .client()
            .resource(
                new JobBuilder()
                    .withNewMetadata()
                    .withName(HOLDER)
                    .withNamespace(sharing.namespace())
                    .endMetadata()
                    .withNewSpec()
                    .withNewTemplate()
                    .withSpec(template.getSpec())
                    .endTemplate()
                    .endSpec()
                    .build())
            .create();
        return await("the Job has its pod")
            .atMost(Sharing.POD_START)
            .until(() -> podOfJob(sharing), pod -> pod != null);
      }

      @Override
      void bring(Sharing sharing, String pod) {
        // What a container's first process takes for the end of its work.
        TestCluster.kubectl(
            "exec", "-n", sharing.namespace(), pod, "--", "sh", "-c", "kill -TERM 1");
      }

      /**
       * The kubelet looks once a second which containers have ended, and nobody else can say that
       * one is not to be started again.
       */
      @Override
      boolean isKnown(Sharing sharing, String pod) {
        return "Succeeded".equals(sharing.pod(pod).getStatus().getPhase());
      }

      @Override
      void clear(Sharing sharing) {
        await("the Job is complete")
            .atMost(Sharing.POD_START)
            .until(
                () ->
                    sharing
                        .client()
                        .batch()
                        .v1()
                        .jobs()
                        .inNamespace(sharing.namespace())
                        .withName(HOLDER)
                        .get()
                        .getStatus()
                        .getConditions()
                        .stream()
                        .anyMatch(condition -> condition.getType().equals("Complete")));
      }

      private static String podOfJob(Sharing sharing) {
        return sharing
            .client()
            .pods()
            .inNamespace(sharing.namespace())
            .withLabel("job-name", HOLDER)
            .list()
            .getItems()
            .stream()
            .map(pod -> pod.getMetadata().getName())
            .findFirst()
            .orElse(null);
      }
    };

    SharingPod holder() {
      return SharingPod.named(HOLDER).deaf("main", CARD).gracePeriodSeconds(3);
    }

    /** Creates the pod; its name. */
    String create(Sharing sharing) {
      return sharing.create(holder()).getMetadata().getName();
    }

    abstract void bring(Sharing sharing, String pod);

    /** Whether a pod whose processes are gone is known to be over. */
    boolean isKnown(Sharing sharing, String pod) {
      return true;
    }

    /** Removes what would keep the object for ever. */
    void clear(Sharing sharing) {}
  }

  private static final String HOLDER = "holder";

  @ParameterizedTest
  @EnumSource
  void aFullCardIsGivenOnWhenTheProcessIsGone(End end) {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      var name = end.create(sharing);
      sharing.awaitRunning(name);
      sharing.run(SharingPod.of("other", CARD));
      sharing.create(SharingPod.of("next", CARD));
      sharing.awaitRefusal("next", "1 Insufficient baidu.com/vcuda-memory");
      var holder = sharing.pod(name).getMetadata().getUid();
      assertThat(PodProcesses.alive(NODE, holder)).isTrue();

      end.bring(sharing, name);

      var gone = new AtomicReference<Instant>();
      await("the processes of the old pod are gone, and its card was not given on before")
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(20))
          .until(
              () -> {
                boolean given = isBound(sharing, "next");
                boolean lives = PodProcesses.alive(NODE, holder);
                assertThat(given && lives).as("given on while the old process lives").isFalse();
                if (!lives) {
                  gone.compareAndSet(null, Instant.now());
                }
                return !lives && end.isKnown(sharing, name);
              });
      var known = Instant.now();
      awaitGivenOn(sharing);
      System.out.printf(
          "%s: the card was given on %d ms after the process was gone, %d ms of it until that was"
              + " known%n",
          end,
          Duration.between(gone.get(), Instant.now()).toMillis(),
          Duration.between(gone.get(), known).toMillis());
      sharing.awaitRunning("next");
      end.clear(sharing);
    }
  }

  @Test
  void aPodThatTheKubeletRefusesAfterItsAllocationHoldsNothing() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      sharing.run(SharingPod.of("other", CARD));
      sharing.create(SharingPod.of("next", CARD).gated());
      sharing.create(SharingPod.of("too-much-cpu", CARD).request("cpu", "1000").boundTo(NODE));
      await("it has failed")
          .atMost(Sharing.POD_START)
          .pollInterval(Duration.ofMillis(20))
          .until(() -> "Failed".equals(sharing.pod("too-much-cpu").getStatus().getPhase()));
      assertThat(sharing.pod("too-much-cpu").getStatus().getReason()).isEqualTo("OutOfcpu");

      sharing.openGates("next");

      awaitGivenOn(sharing);
      sharing.awaitRunning("next");
      assertThat(sharing.agreed(NODE)).extracting(Held::pod).containsOnly("other", "next");
    }
  }

  private static void awaitGivenOn(Sharing sharing) {
    await("the next pod has the card within 2 s")
        .atMost(Duration.ofSeconds(2))
        .pollInterval(Duration.ofMillis(20))
        .until(() -> isBound(sharing, "next"));
  }

  private static boolean isBound(Sharing sharing, String pod) {
    return sharing.pod(pod).getSpec().getNodeName() != null;
  }
}
