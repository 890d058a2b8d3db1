package io.baetyl.gpu.accelerator.bitmain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.baetyl.gpu.accelerator.DriverException;
import io.baetyl.gpu.accelerator.DriverException.Reason;
import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.NodeRoots;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    chip(number, chipId, SERIAL);
  }

  private void chip(int number, String chipId, String serial) throws IOException {
    file("dev/bm-sophon" + number, "");
    file("dev/sophon-simulator/%d/facts".formatted(number), chipId + " " + serial + " 7086\n");
  }

  /** The driver's files of a card: its serial number, and where its chips are on the PCI bus. */
  private void card(int card, String serial, Map<Integer, String> chips) throws IOException {
    var folder = "proc/bmsophon/card%d/".formatted(card);
    file(folder + "sn", serial + "\n");
    file(folder + "chip_num_on_card", chips.size() + "\n");
    for (var chip : chips.entrySet()) {
      file(folder + "bmsophon%d/dbdf".formatted(chip.getKey()), chip.getValue() + "\n");
    }
  }

  private List<String> ids() throws DriverException {
    return devices.discover().stream().map(FoundDevice::id).toList();
  }

  private void assertRefused(String id, Reason reason) {
    assertThatThrownBy(() -> devices.sample(id))
        .isInstanceOfSatisfying(
            DriverException.class, why -> assertThat(why.reason()).isEqualTo(reason));
  }

  private void state(int number, String state) throws IOException {
    file("dev/sophon-simulator/%d/state".formatted(number), state + "\n");
  }

  /** An SC7 FP150 has such holes in its numbers. */
  @Test
  void chipsAreKnownByTheirCardAndPlaceOnIt() throws Exception {
    chip(1, "0x1686");
    chip(4, "0x1686");
    card(0, SERIAL, Map.of(1, "000:03:00.0", 4, "000:06:00.0"));
    file("dev/bm-sophon-nonsense", "");

    assertThat(devices.discover())
        .extracting(FoundDevice::id, FoundDevice::index, FoundDevice::path, FoundDevice::model)
        .containsExactly(
            tuple(SERIAL + "-000:03:00.0", 1, "/dev/bm-sophon1", "BM1684X"),
            tuple(SERIAL + "-000:06:00.0", 4, "/dev/bm-sophon4", "BM1684X"));
  }

  @Test
  void aChipThatIsLostOverARebootDoesNotMoveTheOthers() throws Exception {
    chip(0, "0x1684");
    chip(1, "0x1684");
    card(0, SERIAL, Map.of(0, "000:01:00.0", 1, "000:01:00.1"));
    var before = ids();

    Files.delete(root.resolve("dev/bm-sophon1"));
    Files.delete(root.resolve("proc/bmsophon/card0/bmsophon1/dbdf"));
    file("proc/bmsophon/card0/bmsophon0/dbdf", "000:01:00.1\n");

    assertThat(ids()).containsExactly(before.getLast());
  }

  @Test
  void aChipThatCannotBeOpenedFromTheBeginningDoesNotMoveTheOthers() throws Exception {
    chip(0, "0x1684");
    chip(1, "0x1684");
    card(0, SERIAL, Map.of(0, "000:01:00.0", 1, "000:01:00.1"));
    Files.delete(root.resolve("dev/sophon-simulator/0/facts"));

    assertThat(ids()).containsExactly(SERIAL + "-000:01:00.1");
    assertRefused(SERIAL + "-000:01:00.0", Reason.DEVICE_LOST);
  }

  @Test
  void chipsOfCardsWithoutASerialNumberAreToldApart() throws Exception {
    chip(0, "0x1684", "-");
    chip(1, "0x1684", "-");
    card(0, "N/A", Map.of(0, "000:01:00.0"));
    card(1, "N/A", Map.of(1, "000:02:00.0"));
    assertThat(ids()).containsExactly("sophon-000:01:00.0", "sophon-000:02:00.0");

    Files.delete(root.resolve("dev/sophon-simulator/0/facts"));

    assertThat(ids()).containsExactly("sophon-000:02:00.0");
    assertRefused("sophon-000:01:00.0", Reason.DEVICE_LOST);
  }

  /** Such a card can be moved to another slot. */
  @Test
  void aChipThatIsAloneOnItsCardIsKnownByTheCard() throws Exception {
    chip(3, "0x1684");
    card(2, SERIAL, Map.of(3, "000:07:00.0"));

    assertThat(ids()).containsExactly(SERIAL + "-0");
  }

  @Test
  void withoutTheDriversFilesAChipIsKnownByItsNumber() throws Exception {
    chip(1, "0x1686", "-");
    chip(4, "0x1686");

    assertThat(ids()).containsExactly("sophon-1", SERIAL + "-4");
  }

  @Test
  void aChipThatHangsFromTheBeginningHidesNoOther() throws Exception {
    chip(0, "0x1684");
    chip(1, "0x1684");
    state(0, "hung");

    assertThat(ids()).containsExactly(SERIAL + "-1");
    assertThat(devices.sample(SERIAL + "-1").fault()).isEmpty();
    // It may have been reported by an earlier process: nobody can say now that it is gone.
    assertRefused(SERIAL + "-0", Reason.DRIVER_FAILED);

    state(0, "ok");
    await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(ids()).hasSize(2));
  }

  /** 0xFFFFFC01 is what there is none of, 0xFFFFFC00 what cannot be read. */
  @ParameterizedTest
  @ValueSource(strings = {"FFFFFC00", "FFFFFC01", "FFFFFFFF"})
  void whatTheDriverDoesNotKnowIsAbsent(String instead) throws Exception {
    chip(0, "0x1684");
    file("dev/sophon-simulator/0/instead", instead);
    devices.discover();

    var sample = devices.sample(SERIAL + "-0");

    assertThat(sample.utilization()).isEmpty();
    assertThat(sample.temperatureCelsius()).isEmpty();
    assertThat(sample.powerWatts()).isEmpty();
    assertThat(sample.usedBytes()).hasValue(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0\n", "\"enable\": 0\n"})
  void theLoadIsAbsentWhileNobodyMeasuresIt(String disabled) throws Exception {
    chip(0, "0x1684");
    devices.discover();
    var enable = "sys/class/bm-sophon/bm-sophon0/device/npu_usage_enable";
    file(enable, disabled.replace('0', '1'));
    assertThat(devices.sample(SERIAL + "-0").utilization()).hasValue(0);

    file(enable, disabled);

    assertThat(devices.sample(SERIAL + "-0").utilization()).isEmpty();
  }

  /** As libsophon's packages make it; the host's folders are below another root here. */
  @Test
  void aLibraryBehindAnAbsoluteLinkIsFoundAndFollowed() throws Exception {
    chip(0, "0x1684");
    var sophon = root.resolve("opt/sophon");
    Files.move(sophon.resolve("libsophon-current"), sophon.resolve("libsophon-0.4.8"));
    var current = sophon.resolve("libsophon-current");
    Files.createSymbolicLink(current, Path.of("/opt/sophon/libsophon-0.4.8"));
    assertThat(ids()).hasSize(1);

    Files.delete(current);
    Files.createSymbolicLink(current, Path.of("/opt/sophon/libsophon-0.4.9"));

    assertThatThrownBy(() -> devices.discover()).hasMessageContaining("install libsophon");
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
