package io.baetyl.gpu.accelerator.jetson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.FoundDevice;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JetsonDevicesTest {
  @TempDir private Path root;

  private static FoundDevice only(Board board) throws DriverException {
    return new JetsonDevices(board.roots()).discover().getFirst();
  }

  @Test
  void anOrinIsOneDeviceThatIsKnownByItsBoard() throws DriverException {
    var found = only(Board.orin(root));

    assertThat(found)
        .isEqualTo(
            new FoundDevice(
                "jetson-1421323012345",
                0,
                null,
                "NVIDIA Jetson Orin Nano Developer Kit",
                null,
                7620));
  }

  @Test
  void anOrinTellsItsFigures() throws DriverException {
    var board = Board.orin(root);

    var sample = new JetsonDevices(board.roots()).sample(only(board).id());

    assertThat(sample.totalBytes()).hasValue(7802880L * 1024);
    assertThat(sample.freeBytes()).hasValue(5123456L * 1024);
    assertThat(sample.usedBytes()).hasValue((7802880L - 5123456L) * 1024);
    assertThat(sample.utilization()).hasValue(0.437);
    assertThat(sample.temperatureCelsius()).hasValue(45.968);
    assertThat(sample.powerWatts().orElseThrow()).isCloseTo(5.26, within(1e-9));
    assertThat(sample.fault()).isEmpty();
  }

  @Test
  void aNanoTellsTheSameByOlderNames() throws DriverException {
    var board = Board.nano(root);
    var found = only(board);

    var sample = new JetsonDevices(board.roots()).sample(found.id());

    assertThat(found.id()).as("without a serial number").isEqualTo("jetson");
    assertThat(sample.utilization()).hasValue(0);
    assertThat(sample.temperatureCelsius()).hasValue(21);
    assertThat(sample.powerWatts()).hasValue(0.933);
  }

  /** AGX boards have no rail for the whole module. */
  @Test
  void withoutAnInputRailTheOthersAreAddedUp() throws DriverException {
    var hwmon = "sys/bus/i2c/devices/1-0040/hwmon/hwmon3/";
    var board = Board.orin(root).file(hwmon + "in1_label", "VDD_GPU_SOC").rail(3, "NC", 5000, 5000);

    assertThat(new JetsonDevices(board.roots()).sample(only(board).id()).powerWatts().orElseThrow())
        .isCloseTo(5.26 + 0.715, within(1e-9));
  }

  /** Without power it may answer with an error. */
  @Test
  void aGpuThatRestsIsHealthy() throws DriverException {
    var board = Board.orin(root).without("sys/class/devfreq/17000000.gpu/device/load");

    var sample = new JetsonDevices(board.roots()).sample(only(board).id());

    assertThat(sample.utilization()).isEmpty();
    assertThat(sample.fault()).isEmpty();
  }

  /** It can appear after this agent was started. */
  @Test
  void aGpuWithoutItsDriverIsAFaultUntilThatIsThere() throws DriverException {
    var name = "sys/class/devfreq/17000000.gpu/device/of_node/name";
    var board = Board.orin(root).without(name);
    var devices = new JetsonDevices(board.roots());
    var id = only(board).id();

    assertThat(devices.sample(id).fault()).get().asString().contains("nvgpu");

    board.file(name, "gpu\0");
    assertThat(devices.sample(id).fault()).isEmpty();
  }

  @Test
  void aZoneWithoutASensorTellsNoTemperature() throws DriverException {
    var board = Board.orin(root).file("sys/class/thermal/thermal_zone1/temp", "-256000\n");

    assertThat(new JetsonDevices(board.roots()).sample(only(board).id()).temperatureCelsius())
        .isEmpty();
  }

  @Test
  void aServerIsNoJetson() {
    assertThatThrownBy(() -> only(Board.none(root)))
        .isInstanceOf(DriverException.class)
        .hasMessageContaining("this is no Jetson");
  }

  @Test
  void anotherBoardIsNotTheOneThatWasReported() {
    var devices = new JetsonDevices(Board.orin(root).roots());

    assertThatThrownBy(() -> devices.sample("jetson-0"))
        .isInstanceOf(DriverException.class)
        .hasMessageContaining("another board");
  }
}
