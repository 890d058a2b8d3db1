package io.baetyl.gpu.accelerator.ascend;

import static io.baetyl.gpu.accelerator.ascend.SimulatedDcmi.die;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.DriverException.Reason;
import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.Sample.ProcessUse;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Chips through the driver's library. */
class AscendDevicesIT {
  // A library that is loaded cannot be deleted everywhere.
  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path root;

  private SimulatedDcmi driver;
  private AscendDevices devices;

  @BeforeEach
  void start() throws IOException {
    driver = new SimulatedDcmi(root);
    devices = new AscendDevices(driver.roots());
  }

  @AfterEach
  void stop() {
    devices.close();
  }

  /** As npu-smi shows it: NPU 6, chips 0 to 3, devices 3 to 6. */
  private void fourChips() throws IOException {
    for (int chip = 0; chip < 4; chip++) {
      driver.chip(3 + chip, 6, chip, "310", 8192);
    }
  }

  @Test
  void chipsAreKnownByTheirDiesAndHaveTheirOwnNumbers() throws Exception {
    fourChips();

    assertThat(devices.discover())
        .extracting(FoundDevice::id, FoundDevice::index, FoundDevice::path, FoundDevice::model)
        .containsExactlyInAnyOrder(
            tuple(die(3), 3, "/dev/davinci3", "Ascend310"),
            tuple(die(4), 4, "/dev/davinci4", "Ascend310"),
            tuple(die(5), 5, "/dev/davinci5", "Ascend310"),
            tuple(die(6), 6, "/dev/davinci6", "Ascend310"));
  }

  @Test
  void aChipTellsItsFigures() throws Exception {
    driver
        .chip(0, 2, 0, "310", 8192)
        .chipFile(0, "used_mb", "4096")
        .chipFile(0, "processes", "17 512\n18 3584\n");
    devices.discover();

    var sample = devices.sample(die(0));

    assertThat(sample.totalBytes()).hasValue(8192L << 20);
    assertThat(sample.usedBytes()).hasValue(4096L << 20);
    assertThat(sample.freeBytes()).hasValue(4096L << 20);
    assertThat(sample.utilization()).hasValue(0.42);
    assertThat(sample.temperatureCelsius()).hasValue(56);
    assertThat(sample.powerWatts()).hasValue(12.8);
    assertThat(sample.processes())
        .containsExactly(new ProcessUse(17, 512L << 20), new ProcessUse(18, 3584L << 20));
    assertThat(sample.fault()).isEmpty();
  }

  /** A 310P's chips are measured together. */
  @Test
  void whereOnlyTheCardIsMeasuredItsPowerIsTold() throws Exception {
    driver.chip(0, 4, 0, "310P3", 21525);
    devices.discover();

    assertThat(devices.sample(die(0)).powerWatts()).hasValue(39.1);
  }

  @Test
  void anAlarmIsAFault() throws Exception {
    fourChips();
    devices.discover();
    driver.state(4, "failed");

    assertThat(devices.sample(die(4)).fault())
        .contains(
            "The chip reports a critical alarm: npu-smi info -t health -i 6 -c 1 on the node names it");
    assertThat(devices.sample(die(3)).fault()).isEmpty();
  }

  @Test
  void aChipThatIsGoneHidesNoOther() throws Exception {
    fourChips();
    devices.discover();
    driver.state(4, "vanished");

    assertThatThrownBy(() -> devices.sample(die(4)))
        .isInstanceOfSatisfying(
            DriverException.class, lost -> assertThat(lost.reason()).isEqualTo(Reason.DEVICE_LOST));
    assertThat(devices.discover()).hasSize(3);
    assertThatThrownBy(() -> devices.sample(die(4)))
        .isInstanceOfSatisfying(
            DriverException.class,
            gone -> assertThat(gone.reason()).isEqualTo(Reason.DEVICE_REMOVED));

    driver.state(4, "ok");
    assertThat(devices.discover()).hasSize(4);
  }

  @Test
  void aChipThatHangsHoldsNoOtherUp() throws Exception {
    fourChips();
    devices.discover();
    driver.state(4, "hung");
    var hanging =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return devices.sample(die(4));
              } catch (DriverException failed) {
                throw new CompletionException(failed);
              }
            });

    assertThat(devices.sample(die(3)).fault()).isEmpty();
    assertThat(hanging).isNotDone();

    driver.state(4, "ok");
    assertThat(hanging).succeedsWithin(Duration.ofSeconds(5));
  }

  @Test
  void withoutADriverItSaysWhatToDo() throws IOException {
    driver.without("dev/davinci_manager");

    assertThatThrownBy(() -> devices.discover())
        .isInstanceOf(DriverException.class)
        .hasMessageContaining("/dev/davinci_manager");

    driver.without("usr/local/dcmi/libdcmi.so");
    assertThatThrownBy(() -> devices.discover())
        .isInstanceOf(DriverException.class)
        .hasMessageContaining("install the Ascend driver");
  }

  @Test
  void aDriverThatComesLaterIsFound() throws Exception {
    driver.without("dev/davinci_manager");
    fourChips();
    assertThatThrownBy(() -> devices.discover()).isInstanceOf(DriverException.class);

    driver.file("dev/davinci_manager", "");

    assertThat(devices.discover()).hasSize(4);
  }
}
