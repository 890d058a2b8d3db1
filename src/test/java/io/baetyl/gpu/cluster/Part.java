package io.baetyl.gpu.cluster;

import static org.awaitility.Awaitility.await;

import java.time.Duration;

/** What can be taken away from a running cluster, and comes back. */
enum Part {
  KUBELET {
    @Override
    void restart(Sharing sharing, String node) {
      TestCluster.dev("restart", node, "kubelet");
    }
  },
  CONTAINERD {
    @Override
    void restart(Sharing sharing, String node) {
      TestCluster.dev("restart", node, "containerd");
    }
  },
  DEVICE_PLUGIN {
    @Override
    void restart(Sharing sharing, String node) {
      Components.kill(sharing.client(), PLUGIN);
    }
  },
  DEVICE_PLUGIN_ROLLED_OUT {
    @Override
    void restart(Sharing sharing, String node) {
      TestCluster.kubectl("rollout", "restart", "-n", TestCluster.SYSTEM, "daemonset/" + PLUGIN);
      TestCluster.kubectl(
          "rollout", "status", "-n", TestCluster.SYSTEM, "daemonset/" + PLUGIN, "--timeout=120s");
    }
  },
  EXTENDER {
    @Override
    void restart(Sharing sharing, String node) {
      Components.kill(sharing.client(), "baetyl-gpu-scheduler-extender");
    }
  },
  OPERATOR {
    @Override
    void restart(Sharing sharing, String node) {
      Components.kill(sharing.client(), "baetyl-gpu-operator");
    }
  },
  API_SERVER {
    @Override
    void restart(Sharing sharing, String node) {
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
                TestCluster.onNode(node, "bash", "-c", "exec 3<>/dev/tcp/10.96.0.1/443");
                return true;
              });
    }

    /** kube-scheduler and kubelet look for the API server again every half minute at last. */
    @Override
    Duration nextPod() {
      return Sharing.POD_START.plusSeconds(30);
    }
  };

  private static final String PLUGIN = "baetyl-accelerator-device-plugin-nvidia-shared";
  private static final Duration AWAY = Duration.ofSeconds(Long.getLong("away.seconds", 15));

  /** Takes it away, and returns when it is back. */
  abstract void restart(Sharing sharing, String node);

  /** How long the next pod may take once the part is back. */
  Duration nextPod() {
    return Sharing.POD_START;
  }
}
