package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.cluster.oracle.WatchedByOracle;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A part is stopped and comes back while pods run: they go on, and the next pod gets its card. */
@Order(4)
@WatchedByOracle
class RestartClusterIT {
  private static final String NODE = "edge-p4";
  private static final Duration AWAY = Duration.ofSeconds(Long.getLong("away.seconds", 15));

  enum Part {
    KUBELET {
      @Override
      void restart(Sharing sharing) {
        TestCluster.dev("restart", NODE, "kubelet");
      }
    },
    CONTAINERD {
      @Override
      void restart(Sharing sharing) {
        TestCluster.dev("restart", NODE, "containerd");
      }
    },
    DEVICE_PLUGIN {
      @Override
      void restart(Sharing sharing) {
        Components.kill(sharing.client(), "baetyl-accelerator-device-plugin-nvidia-shared");
      }
    },
    EXTENDER {
      @Override
      void restart(Sharing sharing) {
        Components.kill(sharing.client(), "baetyl-gpu-scheduler-extender");
      }
    },
    OPERATOR {
      @Override
      void restart(Sharing sharing) {
        Components.kill(sharing.client(), "baetyl-gpu-operator");
      }
    },
    API_SERVER {
      @Override
      void restart(Sharing sharing) {
        TestCluster.dev("stop", "apiserver");
        await("the API server has been away")
            .pollDelay(AWAY)
            .atMost(AWAY.plusSeconds(5))
            .until(() -> true);
        TestCluster.dev("start", "apiserver");
        // The API server takes its address out of the service when it stops; until kube-proxy has
        // heard that it is back, pods cannot reach it.
        await("pods reach the API server")
            .atMost(Duration.ofSeconds(90))
            .ignoreExceptionsMatching(refused -> true)
            .until(
                () -> {
                  TestCluster.onNode(NODE, "bash", "-c", "exec 3<>/dev/tcp/10.96.0.1/443");
                  return true;
                });
      }

      /** kube-scheduler and kubelet look for the API server again every half minute at last. */
      @Override
      Duration nextPod() {
        return Sharing.POD_START.plusSeconds(30);
      }
    };

    abstract void restart(Sharing sharing);

    /** How long the next pod may take once the part is back. */
    Duration nextPod() {
      return Sharing.POD_START;
    }
  }

  @ParameterizedTest
  @EnumSource
  void runningPodsGoOnAndTheNextGetsItsCard(Part part) {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      sharing.run(
          SharingPod.of("four", 4), SharingPod.of("twenty", 20), SharingPod.of("other", 20));
      var sharesBefore = sharing.agreed(NODE);
      var lifeBefore = life(sharing);

      part.restart(sharing);

      assertThat(sharing.agreed(NODE)).isEqualTo(sharesBefore);
      sharing.create(SharingPod.of("next", 5));
      sharing.awaitRunning("next", part.nextPod());
      assertThat(sharing.agreed(NODE)).hasSize(4).containsAll(sharesBefore);
      assertThat(life(sharing)).containsAllEntriesOf(lifeBefore);
    }
  }

  /**
   * Pod UID, and how often each of its containers has been started: unchanged while a pod is left
   * in peace.
   */
  private static Map<String, String> life(Sharing sharing) {
    return sharing.client().pods().inNamespace(sharing.namespace()).list().getItems().stream()
        .collect(
            Collectors.toMap(
                pod -> pod.getMetadata().getUid(),
                pod ->
                    pod.getStatus().getPhase()
                        + pod.getStatus().getContainerStatuses().stream()
                            .map(container -> container.getContainerID())
                            .toList()));
  }
}
