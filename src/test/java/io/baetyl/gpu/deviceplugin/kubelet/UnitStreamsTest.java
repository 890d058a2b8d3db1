package io.baetyl.gpu.deviceplugin.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.baetyl.gpu.deviceplugin.allocation.Unit;
import io.baetyl.gpu.model.UnitId;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

final class UnitStreamsTest {

  /** UR-A13: the kubelet takes no message of 4 MiB. */
  @Test
  void theLargestNodeStaysFarBelowWhatTheKubeletTakes() {
    var units = new ArrayList<Unit>();
    for (int card = 0; card < 16; card++) {
      var uuid = "GPU-9f12f917-e458-4bb8-3d9d-8dc7fd6c%04x".formatted(card);
      for (int number = 0; number < 288 * 1024 / 256; number++) {
        units.add(new Unit(new UnitId(uuid, number).format(), true));
      }
    }
    int bytes = UnitStreams.encode(units).getSerializedSize();
    System.out.println(units.size() + " units make a list of " + bytes + " bytes");
    assertThat(units).hasSize(18432);
    assertThat(bytes).isLessThan(1_100_000);
  }
}
