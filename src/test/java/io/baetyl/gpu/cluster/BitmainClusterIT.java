package io.baetyl.gpu.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** A BM1684 card, from its detection to a pod that has its chip. */
@Order(6)
class BitmainClusterIT {
  private static final DeviceNode NODE = DeviceNode.BM1684;

  @Test
  void aPodHasItsChipAndTwoAreRefused() {
    try (var sharing = NODE.found()) {
      await("asking for two is refused")
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () ->
                  assertThatThrownBy(() -> sharing.create(NODE.pod("two", 2)))
                      .hasMessageContaining(NODE.resource())
                      .hasMessageContaining("set the limit to 1"));
      sharing.run(NODE.pod("one", 1));

      assertThat(DeviceNode.inside(sharing, "one", "ls /dev/bm*"))
          .containsExactlyInAnyOrder("/dev/bm-sophon0", "/dev/bmdev-ctl");
      assertThat(DeviceNode.inside(sharing, "one", "ls /opt/sophon/libsophon-current/lib"))
          .containsExactly("libbmlib.so");
    }
  }
}
