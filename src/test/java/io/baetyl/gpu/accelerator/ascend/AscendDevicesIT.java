package io.baetyl.gpu.accelerator.ascend;

import static io.baetyl.gpu.accelerator.ascend.SimulatedDcmi.die;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.DriverException.Reason;
import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.Sample.ProcessUse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
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
  private final ExecutorService threads = Executors.newFixedThreadPool(4);

  @BeforeEach
  void start() throws IOException {
    driver = new SimulatedDcmi(root);
    devices = new AscendDevices(driver.roots());
  }

  @AfterEach
  void stop() {
    devices.close();
    threads.shutdownNow();
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
        .chipFile(0, "used_mb", "4100")
        .chipFile(0, "processes", "17 512\n18 3584\n");
    devices.discover();

    var sample = devices.sample(die(0));

    assertThat(sample.totalBytes()).hasValue(8192L << 20);
    assertThat(sample.usedBytes()).as("exact, not in percent").hasValue(4100L << 20);
    assertThat(sample.freeBytes()).hasValue(4092L << 20);
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

  private void assertRefused(int chip, Reason reason) {
    assertThatThrownBy(() -> devices.sample(die(chip)))
        .isInstanceOfSatisfying(
            DriverException.class, why -> assertThat(why.reason()).isEqualTo(reason));
  }

  /** Its card is there, so that it may come back: it is not to be forgotten. */
  @Test
  void aChipThatIsLostKeepsItsPlaceAndHidesNoOther() throws Exception {
    fourChips();
    devices.discover();
    driver.state(4, "vanished");

    assertRefused(4, Reason.DEVICE_LOST);
    assertThat(devices.discover()).hasSize(3);
    assertThat(devices.discover()).hasSize(3);
    assertRefused(4, Reason.DEVICE_LOST);

    driver.state(4, "ok");
    assertThat(devices.discover()).hasSize(4);
  }

  @Test
  void aChipWhoseCardIsGoneIsRemoved() throws Exception {
    driver.chip(0, 1, 0, "310", 8192).chip(1, 2, 0, "310", 8192);
    devices.discover();
    driver.without("dev/ascend-simulator/chips/1/facts");

    assertThat(devices.discover()).hasSize(1);
    assertRefused(1, Reason.DEVICE_REMOVED);
  }

  /** It may have been reported by an earlier process: nobody can say now that it is gone. */
  @Test
  void aChipThatIsLostFromTheBeginningMayBeAnyThatWasKnown() throws Exception {
    fourChips();
    driver.state(4, "vanished");

    assertThat(devices.discover()).hasSize(3);
    assertRefused(4, Reason.DRIVER_FAILED);
  }

  @Test
  void ofNoChipItIsKnownThatItIsGoneBeforeTheFirstLook() {
    assertRefused(4, Reason.DRIVER_FAILED);
  }

  @Test
  void whereNoChipAnswersItIsNotSaidThatThereIsNone() throws Exception {
    fourChips();
    for (int number : new int[] {3, 4, 5, 6}) {
      driver.state(number, "hung");
    }

    assertThatThrownBy(devices::discover)
        .isInstanceOf(DriverException.class)
        .hasMessageContaining("does not answer about its chips: run npu-smi info");

    for (int number : new int[] {3, 4, 5, 6}) {
      driver.state(number, "ok");
    }
    await()
        .atMost(Duration.ofSeconds(20))
        .ignoreExceptionsInstanceOf(DriverException.class)
        .untilAsserted(() -> assertThat(devices.discover()).hasSize(4));
  }

  @Test
  void aChipThatIsBeingStartedIsNotReady() throws Exception {
    fourChips();
    devices.discover();
    driver.state(4, "starting");

    assertRefused(4, Reason.DEVICE_LOST);
  }

  @Test
  void aChipThatHangsFromTheBeginningHidesNoOther() throws Exception {
    fourChips();
    driver.state(4, "hung");

    assertThat(devices.discover())
        .extracting(FoundDevice::id)
        .containsExactlyInAnyOrder(die(3), die(5), die(6));
    assertThat(devices.sample(die(3)).fault()).isEmpty();
    // It may have been reported by an earlier process: nobody can say now that it is gone.
    assertRefused(4, Reason.DRIVER_FAILED);

    driver.state(4, "ok");
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() -> assertThat(devices.discover()).hasSize(4));
  }

  @Test
  void theLibraryIsCalledByOneThreadAtATime() throws Exception {
    fourChips();
    devices.discover();

    var samples =
        IntStream.range(0, 200)
            .mapToObj(
                i ->
                    CompletableFuture.supplyAsync(
                        () -> {
                          try {
                            return devices.sample(die(3 + i % 4));
                          } catch (DriverException failed) {
                            throw new CompletionException(failed);
                          }
                        },
                        threads))
            .toList();

    assertThat(samples)
        .allSatisfy(sample -> assertThat(sample).succeedsWithin(Duration.ofSeconds(60)));
    assertThat(driver.isCrowded()).isFalse();
  }

  /** As where a driver's installer leads the way to a folder of its own. */
  @Test
  void aLibraryBehindAnAbsoluteLinkIsFound() throws Exception {
    fourChips();
    Files.createDirectories(root.resolve("usr/local/Ascend/driver"));
    Files.move(root.resolve("usr/local/dcmi"), root.resolve("usr/local/Ascend/driver/dcmi"));
    Files.createSymbolicLink(
        root.resolve("usr/local/dcmi"), Path.of("/usr/local/Ascend/driver/dcmi"));

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
