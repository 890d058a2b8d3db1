package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.CardDecision;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileSpec;
import io.baetyl.gpu.api.v1alpha1.Placement;
import io.baetyl.gpu.api.v1alpha1.WellKnownAnnotations;
import io.baetyl.gpu.cluster.oracle.WatchedByOracle;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Pods that come all at once: each on the card that was decided for it, not for its neighbour of
 * the same size.
 */
@Order(3)
@WatchedByOracle
@Tag("soak")
class CreatedAtOnceClusterIT {
  private static final String NODE = "edge-4g";
  private static final int ROUNDS = Integer.getInteger("rounds.created-at-once", 2);

  /**
   * In whatever order these come, each finds room: the card with less on it has at least 8, 6 or 5
   * units free.
   */
  private static final List<Integer> MIXED = List.of(3, 5, 8, 3, 3, 3);

  static Stream<Arguments> rounds() {
    return Stream.of(Placement.values())
        .flatMap(
            placement ->
                Stream.of(
                    Arguments.of(placement, List.of(4, 4, 4, 4, 4, 4, 4, 4)),
                    Arguments.of(placement, MIXED)));
  }

  @ParameterizedTest
  @MethodSource("rounds")
  void everyPodIsOnTheCardDecidedForIt(Placement placement, List<Integer> sizes) {
    var spec = new GpuShareProfileSpec(null, null, placement, null, null, null);
    for (int round = 1; round <= ROUNDS; round++) {
      try (var sharing = Sharing.of(TestCluster.withDefaultNodes(), spec, NODE)) {
        long correctionsBefore = Corrections.of(NODE);
        IntStream.range(0, sizes.size())
            .parallel()
            .forEach(number -> sharing.create(SharingPod.of("pod-" + number, sizes.get(number))));
        IntStream.range(0, sizes.size()).forEach(number -> sharing.awaitRunning("pod-" + number));

        var held = sharing.agreed(NODE);

        assertThat(held).hasSameSizeAs(sizes);
        for (var share : held) {
          var pod = sharing.pod(share.pod()).getMetadata();
          assertThat(
                  CardDecision.parse(
                      pod.getAnnotations().get(WellKnownAnnotations.CARDS), pod.getUid()))
              .as("decision for %s in round %d", share.pod(), round)
              .hasValueSatisfying(
                  decision -> assertThat(decision.cards()).containsEntry("main", share.card()));
        }
        assertThat(Corrections.of(NODE)).isEqualTo(correctionsBefore);
      }
    }
    System.out.printf("%s of %s: %d rounds%n", placement, sizes, ROUNDS);
  }
}
