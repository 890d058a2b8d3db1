package io.baetyl.gpu.accelerator.bitmain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.DriverException.Reason;
import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.NodeRoots;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Chips through Sophgo's library: that of dev/simulator, compiled to read a folder, not /dev. */
class BitmainDevicesIT {
  private static final Path SOURCE = Path.of("dev/simulator/bitmain/bmlib/bmlib.c");
  private static final String SERIAL = "HQATEVBAIAIAI0001";

  // A library that is loaded cannot be deleted everywhere.
  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path root;

  private BitmainDevices devices;

  @BeforeEach
  void start() throws Exception {
    var source = file("bmlib.c", Files.readString(SOURCE).replace("\"/dev", "\"" + root + "/dev"));
    var library = root.resolve("opt/sophon/libsophon-current/lib/libbmlib.so");
    Files.createDirectories(library.getParent());
    var process =
        new ProcessBuilder(
                List.of(
                    "gcc",
                    "-O1",
                    "-std=gnu11",
                    "-shared",
                    "-fPIC",
                    "-fvisibility=hidden",
                    "-o",
                    library.toString(),
                    source.toString()))
            .redirectErrorStream(true)
            .start();
    var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    devices = new BitmainDevices(new NodeRoots(root, root, root));
  }

  @AfterEach
  void stop() {
    devices.close();
  }

  private Path file(String path, String content) throws IOException {
    var file = root.resolve(path);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, content);
  }

  private void chip(int number, String chipId) throws IOException {
    file("dev/bm-sophon" + number, "");
    file("dev/sophon-simulator/%d/facts".formatted(number), chipId + " " + SERIAL + " 7086\n");
  }

  private void state(int number, String state) throws IOException {
    file("dev/sophon-simulator/%d/state".formatted(number), state + "\n");
  }

  /** An SC7 FP150 has such holes in its numbers. */
  @Test
  void chipsAreKnownByTheirCardAndPlaceOnIt() throws Exception {
    chip(1, "0x1686");
    chip(4, "0x1686");
    file("dev/bm-sophon-nonsense", "");

    assertThat(devices.discover())
        .extracting(FoundDevice::id, FoundDevice::index, FoundDevice::path, FoundDevice::model)
        .containsExactly(
            tuple(SERIAL + "-0", 1, "/dev/bm-sophon1", "BM1684X"),
            tuple(SERIAL + "-1", 4, "/dev/bm-sophon4", "BM1684X"));
  }

  @Test
  void aChipTellsItsFigures() throws Exception {
    chip(0, "0x1684");
    file("dev/sophon-simulator/0/used_mb", "1086");
    devices.discover();

    var sample = devices.sample(SERIAL + "-0");

    assertThat(sample.totalBytes()).hasValue(7086L << 20);
    assertThat(sample.usedBytes()).hasValue(1086L << 20);
    assertThat(sample.freeBytes()).hasValue(6000L << 20);
    assertThat(sample.utilization()).hasValue(0.37);
    assertThat(sample.temperatureCelsius()).hasValue(55);
    assertThat(sample.powerWatts()).hasValue(2.1);
    assertThat(sample.fault()).isEmpty();
  }

  @Test
  void aChipAtFaultIsAFault() throws Exception {
    chip(0, "0x1684");
    devices.discover();
    state(0, "failed");

    assertThat(devices.sample(SERIAL + "-0").fault()).get().asString().contains("bm-smi");
  }

  @Test
  void aChipWhoseNodeIsGoneHidesNoOther() throws Exception {
    chip(0, "0x1684");
    chip(1, "0x1684");
    devices.discover();
    Files.delete(root.resolve("dev/bm-sophon0"));

    assertThatThrownBy(() -> devices.sample(SERIAL + "-0"))
        .isInstanceOfSatisfying(
            DriverException.class, lost -> assertThat(lost.reason()).isEqualTo(Reason.DEVICE_LOST));
    assertThat(devices.discover()).hasSize(1);
  }

  @Test
  void aLostChipKeepsItsPlaceOnItsCard() throws Exception {
    chip(0, "0x1684");
    chip(1, "0x1684");
    devices.discover();
    Files.delete(root.resolve("dev/sophon-simulator/0/facts"));

    assertThat(devices.discover()).extracting(FoundDevice::id).containsExactly(SERIAL + "-1");
    assertThatThrownBy(() -> devices.sample(SERIAL + "-0"))
        .isInstanceOfSatisfying(
            DriverException.class, lost -> assertThat(lost.reason()).isEqualTo(Reason.DEVICE_LOST));
  }

  @Test
  void withoutItsLibraryItSaysWhatToDo() throws Exception {
    chip(0, "0x1684");
    Files.delete(root.resolve("opt/sophon/libsophon-current/lib/libbmlib.so"));

    assertThatThrownBy(() -> devices.discover())
        .isInstanceOf(DriverException.class)
        .hasMessageContaining("install libsophon");
  }
}
