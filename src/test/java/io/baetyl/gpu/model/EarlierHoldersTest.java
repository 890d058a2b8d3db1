package io.baetyl.gpu.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.api.v1alpha1.Allocation;
import io.baetyl.gpu.api.v1alpha1.AllocationState;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.Health;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EarlierHoldersTest {
  private static final List<Device> DEVICES = List.of(device("GPU-a"), device("GPU-b"));

  private static Device device(String id) {
    return new Device(id, 0, null, "Tesla P4", 7611L, null, null, Health.HEALTHY, null);
  }

  private static Allocation row(String pod) {
    return new Allocation("ns", pod, "c", "u-" + pod, "GPU-a", 4, AllocationState.RUNNING, null);
  }

  private static Allocation earlier(String pod) {
    return row(pod).heldBy("baidu.com/vcuda-memory");
  }

  @Test
  void aDeviceThatIsHeldSinceBeforeIsNotHandedOut() {
    var withheld = EarlierHolders.withhold(DEVICES, List.of(earlier("p")));

    assertThat(withheld.get(0).canBeHandedOut()).isFalse();
    assertThat(withheld.get(0).healthReason()).endsWith("by ns/p");
    assertThat(withheld.get(1)).isEqualTo(DEVICES.get(1));
  }

  @Test
  void oneThatIsHeldNowIsLeftAsItIs() {
    assertThat(EarlierHolders.withhold(DEVICES, List.of(row("p")))).isEqualTo(DEVICES);
  }

  @Test
  void manyHoldersAreNotAllNamed() {
    var many = IntStream.range(0, 9).mapToObj(number -> earlier("p" + number)).toList();

    assertThat(EarlierHolders.withhold(DEVICES, many).getFirst().healthReason())
        .endsWith("ns/p0, ns/p1, ns/p2 and others");
  }

  @Test
  void theirUnitsAreNotCounted() {
    assertThat(CardSums.holdings(List.of(earlier("p"), row("q")))).hasSize(1);
  }
}
