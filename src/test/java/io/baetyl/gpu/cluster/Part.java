package io.baetyl.gpu.cluster;

import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.api.v1alpha1.Health;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

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
  DEVICE_PLUGIN_CRASHED {
    @Override
    void restart(Sharing sharing, String node) {
      Components.crash(sharing.client(), Components.DEVICE_PLUGIN);
    }
  },
  DEVICE_PLUGIN_ROLLED_OUT {
    @Override
    void restart(Sharing sharing, String node) {
      rollOut("daemonset/" + Components.DEVICE_PLUGIN);
    }
  },
  EXTENDER_CRASHED {
    @Override
    void restart(Sharing sharing, String node) {
      Components.crash(sharing.client(), EXTENDER);
    }
  },
  EXTENDER_ROLLED_OUT {
    @Override
    void restart(Sharing sharing, String node) {
      rollOut("deployment/" + EXTENDER);
    }
  },
  OPERATOR_CRASHED {
    @Override
    void restart(Sharing sharing, String node) {
      Components.crash(sharing.client(), OPERATOR);
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
  },
  CARD {
    @Override
    void restart(Sharing sharing, String node) {
      var card = sharing.gpuNode(node).getStatus().devices().getFirst().id();
      awayAndBack(sharing, node, List.of("card", node, card), "fail", "recover");
    }

    @Override
    Duration nextPod() {
      return Sharing.POD_START.plus(SEEN);
    }
  },
  DRIVER {
    @Override
    void restart(Sharing sharing, String node) {
      awayAndBack(sharing, node, List.of("driver", node), "hang", "ok");
    }

    @Override
    Duration nextPod() {
      return Sharing.POD_START.plus(SEEN);
    }
  };

  private static final String EXTENDER = "baetyl-gpu-scheduler-extender";
  private static final String OPERATOR = "baetyl-gpu-operator";

  private static final Duration AWAY = Duration.ofSeconds(Long.getLong("away.seconds", 15));

  /** A silent driver is waited for, and who has failed has to answer well for a while. */
  private static final Duration SEEN = Duration.ofSeconds(45);

  /** Takes it away, and returns when it is back. */
  abstract void restart(Sharing sharing, String node);

  private static void rollOut(String workload) {
    TestCluster.kubectl("rollout", "restart", "-n", TestCluster.SYSTEM, workload);
    TestCluster.kubectl("rollout", "status", "-n", TestCluster.SYSTEM, workload, "--timeout=120s");
  }

  /** Lets something of the accelerators fail until the status says so, and mends it. */
  private static void awayAndBack(
      Sharing sharing, String node, List<String> what, String away, String back) {
    try {
      tell(what, away);
      await(what + " " + away + " is in the status")
          .atMost(SEEN)
          .until(() -> unhealthyCards(sharing, node) > 0);
    } finally {
      tell(what, back);
    }
  }

  private static void tell(List<String> what, String fault) {
    TestCluster.dev(Stream.concat(what.stream(), Stream.of(fault)).toArray(String[]::new));
  }

  private static long unhealthyCards(Sharing sharing, String node) {
    return sharing.gpuNode(node).getStatus().devices().stream()
        .filter(device -> device.health() != Health.HEALTHY)
        .count();
  }

  /** How long the next pod may take once the part is back. */
  Duration nextPod() {
    return Sharing.POD_START;
  }
}
