package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.cluster.oracle.WatchedByOracle;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The kubelet forgets the units of an Allocate that is under way when somebody lists its
 * PodResources just as another pod ends, and would hand them out again.
 */
@Order(3)
@WatchedByOracle
@Tag("soak")
class LedgerClusterIT {
  private static final String NODE = "edge-4g";
  private static final int ROUNDS = Integer.getInteger("rounds.ledger", 1);
  private static final int UNITS = 4;

  @Test
  void noUnitIsOutTwiceThoughOthersListDuringAnAllocate() {
    try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), Sharing.BINPACK, NODE)) {
      for (int round = 1; round <= ROUNDS; round++) {
        var old = names("old", round);
        old.forEach(name -> sharing.run(SharingPod.of(name, UNITS)));
        long lists;
        try (var lister = new PodResourcesLister(NODE);
            var slow = SlowPlugin.on(sharing.client(), NODE)) {
          assertThat(slow).isNotNull();
          var next = names("next", round);
          for (int number = 0; number < next.size(); number++) {
            sharing.create(SharingPod.of(next.get(number), UNITS));
            sharing.awaitBound(next.get(number));
            // Its Allocate takes a second or so, and this pod ends meanwhile.
            sharing.delete(old.get(number));
            sharing.awaitRunning(next.get(number));
          }
          lists = lister.lists();
        }
        var more = names("more", round);
        more.forEach(name -> sharing.create(SharingPod.of(name, UNITS)));
        more.forEach(sharing::awaitRunning);

        assertThat(sharing.agreed(NODE)).hasSize(6);
        System.out.printf("round %d: others listed PodResources %d times%n", round, lists);
        assertThat(lists).isGreaterThan(50);
        sharing.client().pods().inNamespace(sharing.namespace()).delete();
        await("all are gone")
            .atMost(Sharing.POD_START)
            .until(() -> sharing.summary(NODE).allocatedUnits() == 0);
      }
    }
  }

  private static List<String> names(String prefix, int round) {
    return IntStream.range(0, 3)
        .mapToObj(number -> "%s-%d-%d".formatted(prefix, round, number))
        .toList();
  }
}
