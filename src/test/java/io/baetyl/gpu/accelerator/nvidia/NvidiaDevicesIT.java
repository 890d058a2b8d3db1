package io.baetyl.gpu.accelerator.nvidia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.DriverException.Reason;
import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.Sample.ProcessUse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The binding against the simulator's library, with NVML's real layouts and codes. */
class NvidiaDevicesIT {
  private static final String FIRST = "GPU-9f12f917-e458-4bb8-3d9d-8dc7fd6cddf7";
  private static final String SECOND = "GPU-7cf0b881-7598-8b1a-3270-94d6f5d2479a";
  private static final long MIB = 1 << 20;

  @TempDir Path folder;
  private SimulatedNvml driver;
  private NvidiaDevices devices;

  @BeforeEach
  void installDriver() throws IOException {
    driver = new SimulatedNvml(folder);
    devices = new NvidiaDevices(List.of(folder.resolve("nowhere.so"), driver.library()));
  }

  @AfterEach
  void letGo() {
    devices.close();
  }

  @Test
  void findsCardsWithTheirNodesInPciOrder() throws Exception {
    driver.tesla(SECOND, 1);
    driver.tesla(FIRST, 0);

    assertThat(devices.discover())
        .containsExactly(
            new FoundDevice(FIRST, 0, "/dev/nvidia0", "Tesla P4", "00000000:03:00.0", 7611),
            new FoundDevice(SECOND, 1, "/dev/nvidia1", "Tesla P4", "00000000:04:00.0", 7611));
  }

  @Test
  void theGpuOfATegraIsLeftToWhoKnowsIt() throws Exception {
    driver.card(FIRST, 0, "name Orin (nvgpu)");
    driver.tesla(SECOND, 1);

    assertThat(devices.discover()).extracting(FoundDevice::id).containsExactly(SECOND);
  }

  @Test
  void readsFiguresAndProcesses() throws Exception {
    driver.tesla(FIRST, 0);
    driver.use(FIRST, 1000);
    devices.discover();

    var sample = devices.sample(FIRST);

    assertThat(sample.totalBytes()).hasValue(7611 * MIB);
    assertThat(sample.usedBytes()).hasValue(1000 * MIB);
    assertThat(sample.freeBytes()).hasValue(6511 * MIB);
    assertThat(sample.utilization()).hasValue(0.13);
    assertThat(sample.temperatureCelsius()).hasValue(40);
    assertThat(sample.powerWatts()).hasValue(15.405);
    assertThat(sample.processes())
        .containsExactly(new ProcessUse((int) ProcessHandle.current().pid(), 1000 * MIB));
    assertThat(sample.fault()).isEmpty();
  }

  @Test
  void aFigureThatTheCardDoesNotOfferIsEmpty() throws Exception {
    driver.card(
        FIRST, 0, "name Tesla P4", "pci 00000000:03:00.0", "memory_mib 4096", "reserved_mib 0");
    devices.discover();

    var sample = devices.sample(FIRST);

    assertThat(sample.powerWatts()).isEqualTo(OptionalDouble.empty());
    assertThat(sample.usedBytes()).isEqualTo(OptionalLong.of(0));
  }

  @Test
  void anOldDriverWithoutTheNewerFunctionsServesTheRest() throws Exception {
    driver.install(
        "-DnvmlDeviceGetMemoryInfo_v2=tooNew",
        "-DnvmlDeviceGetPowerUsage=tooNewToo",
        "-DnvmlDeviceGetComputeRunningProcesses_v3=nvmlDeviceGetComputeRunningProcesses_v2");
    driver.tesla(FIRST, 0);
    driver.use(FIRST, 1000);
    devices.discover();

    var sample = devices.sample(FIRST);

    assertThat(sample.usedBytes()).hasValue(1100 * MIB);
    assertThat(sample.powerWatts()).isEmpty();
    assertThat(sample.processes()).hasSize(1);
  }

  @Test
  void aLostCardIsNotFoundButKnown() throws Exception {
    driver.tesla(FIRST, 0);
    driver.tesla(SECOND, 1);
    devices.discover();
    driver.state(FIRST, "failed");

    assertThat(devices.discover()).extracting(FoundDevice::id).containsExactly(SECOND);
    assertRefused(() -> devices.sample(FIRST), Reason.DEVICE_LOST, "reset or a reboot");
    assertThat(devices.sample(SECOND).totalBytes()).isPresent();
  }

  @Test
  void aCardThatIsLostBetweenItsHandleAndItsNameHidesNoOther() throws Exception {
    driver.installWithHandlesOfLostCards();
    driver.tesla(FIRST, 0);
    driver.tesla(SECOND, 1);
    driver.state(FIRST, "failed");

    assertThat(devices.discover()).extracting(FoundDevice::id).containsExactly(SECOND);
  }

  @Test
  void aRemovedCardIsToldFromALostOne() throws Exception {
    driver.tesla(FIRST, 0);
    devices.discover();
    driver.state(FIRST, "vanished");

    assertThat(devices.discover()).isEmpty();
    assertRefused(() -> devices.sample(FIRST), Reason.DEVICE_REMOVED, "does not know the card");
  }

  @Test
  void anErrorThatACardReportsIsItsFaultForAMoment() throws Exception {
    driver.tesla(FIRST, 0);
    driver.tesla(SECOND, 1);
    driver.xids(FIRST, 48);
    devices.discover();
    assertThat(devices.sample(FIRST).fault()).as("of before this agent").isEmpty();
    assertThat(devices.sample(SECOND).fault()).isEmpty();

    driver.xids(FIRST, 48, 31, 63);

    assertThat(devices.sample(FIRST).fault()).get().asString().contains("Xid 63");
    assertThat(devices.sample(SECOND).fault()).isEmpty();
    assertThat(devices.sample(FIRST).fault()).isEmpty();
  }

  @Test
  void anErrorOfAnApplicationIsNoFault() throws Exception {
    driver.tesla(FIRST, 0);
    devices.discover();
    devices.sample(FIRST);
    driver.xids(FIRST, 13, 31, 43, 45, 68, 109);

    assertThat(devices.sample(FIRST).fault()).isEmpty();
  }

  @Test
  void aCardThatNeedsAResetIsAtFaultUntilItHasBeenAway() throws Exception {
    driver.tesla(FIRST, 0);
    devices.discover();
    devices.sample(FIRST);
    driver.xids(FIRST, 48);

    assertThat(devices.sample(FIRST).fault()).get().asString().contains("Xid 48", "reset");
    assertThat(devices.sample(FIRST).fault()).get().asString().contains("Xid 48");

    driver.state(FIRST, "failed");
    assertRefused(() -> devices.sample(FIRST), Reason.DEVICE_LOST, "reset or a reboot");
    driver.state(FIRST, "ok");

    assertThat(devices.sample(FIRST).fault()).isEmpty();
    driver.xids(FIRST, 48, 95);
    assertThat(devices.sample(FIRST).fault()).get().asString().contains("Xid 95");
  }

  @Test
  void aDriverWithoutEventsServesTheRest() throws Exception {
    driver.install("-DnvmlEventSetCreate=tooNew");
    driver.tesla(FIRST, 0);
    devices.discover();
    driver.xids(FIRST, 48);

    assertThat(devices.sample(FIRST).fault()).isEmpty();
    assertThat(devices.sample(FIRST).totalBytes()).isPresent();
  }

  @Test
  void withoutALibraryItSaysWhatToDo() throws Exception {
    driver.uninstall();

    assertRefused(devices::discover, Reason.DRIVER_NOT_FOUND, "install NVIDIA's driver");
  }

  @Test
  void takesUpADriverThatIsInstalledWhileItRuns() throws Exception {
    driver.uninstall();
    driver.tesla(FIRST, 0);
    assertRefused(devices::discover, Reason.DRIVER_NOT_FOUND, "install NVIDIA's driver");
    driver.install();

    assertThat(devices.discover()).hasSize(1);
  }

  @Test
  void takesUpALibraryThatReplacesTheOneInUse() throws Exception {
    driver.tesla(FIRST, 0);
    devices.discover();
    assertThat(devices.sample(FIRST).powerWatts()).isPresent();
    driver.install("-DnvmlDeviceGetPowerUsage=tooNew");

    devices.discover();

    assertThat(devices.sample(FIRST).powerWatts()).isEmpty();
  }

  @Test
  void recoversFromAMismatchWithoutARestart() throws Exception {
    driver.tesla(FIRST, 0);
    devices.discover();
    driver.driver("mismatch");
    assertRefused(devices::discover, Reason.DRIVER_MISMATCH, "Reboot the node");
    assertRefused(devices::discover, Reason.DRIVER_MISMATCH, "Reboot the node");
    driver.driver("ok");

    assertThat(devices.discover()).hasSize(1);
    assertThat(devices.sample(FIRST).totalBytes()).isPresent();
  }

  @Test
  void aModuleThatIsNotLoadedIsADriverThatIsNotThere() throws Exception {
    driver.driver("absent");

    assertRefused(devices::discover, Reason.DRIVER_NOT_FOUND, "modprobe nvidia");
  }

  private static void assertRefused(ThrowingCallable call, Reason reason, String advice) {
    assertThatExceptionOfType(DriverException.class)
        .isThrownBy(call)
        .withMessageContaining(advice)
        .asInstanceOf(type(DriverException.class))
        .extracting(DriverException::reason)
        .isEqualTo(reason);
  }
}
