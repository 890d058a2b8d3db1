package io.baetyl.gpu.metrics.reporting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.baetyl.gpu.accelerator.DriverException.Reason;
import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.RuntimeFinding;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.Condition;
import io.baetyl.gpu.api.v1alpha1.ConditionType;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.GpuNode;
import io.baetyl.gpu.api.v1alpha1.GpuNodeSpec;
import io.baetyl.gpu.api.v1alpha1.GpuShareProfileSpec;
import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.metrics.watching.Survey;
import io.baetyl.gpu.metrics.watching.Survey.Driver;
import io.baetyl.gpu.metrics.watching.WatchedDevice;
import io.baetyl.gpu.metrics.watching.WatchedDevice.Presence;
import io.baetyl.gpu.model.ShareRules;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FindingsTest {
  private static final Instant NOW = Instant.parse("2026-11-30T07:00:00Z");
  private static final RuntimeFinding READY = new RuntimeFinding(true, "CdiSpecs", "all there");
  private static final RuntimeFinding NOT_READY = new RuntimeFinding(false, "Not", "do this");
  private static final Driver ANSWERING = new Driver.Answering();

  private static WatchedDevice card(String id, long memoryMiB) {
    return new WatchedDevice(
        new FoundDevice(id, 1, "/dev/nvidia1", "Tesla P4", null, memoryMiB),
        Health.HEALTHY,
        null,
        Optional.empty(),
        true,
        Presence.PRESENT);
  }

  private static GpuNode node(AcceleratorType wanted) {
    var node = new GpuNode();
    node.getMetadata().setName("edge-1");
    node.getMetadata().setGeneration(3L);
    node.setSpec(new GpuNodeSpec(wanted, null, null, null));
    return node;
  }

  private static Report report(
      AcceleratorType wanted, Driver driver, RuntimeFinding runtime, WatchedDevice... cards) {
    return report(wanted, driver, runtime, Optional.empty(), cards);
  }

  private static Report report(
      AcceleratorType wanted,
      Driver driver,
      RuntimeFinding runtime,
      Optional<ShareRules> rules,
      WatchedDevice... cards) {
    var survey = new Survey(AcceleratorType.NVIDIA, driver, true, List.of(cards));
    return Findings.report(node(wanted), survey, List.of(cards), rules, runtime, NOW);
  }

  private static Condition condition(Report report, ConditionType type) {
    return Condition.find(report.conditions(), type).orElseThrow();
  }

  static Stream<Arguments> found() {
    var none = new WatchedDevice[0];
    var two = new WatchedDevice[] {card("a", 7611), card("b", 7611)};
    var absent = new Driver.Troubled(Reason.DRIVER_NOT_FOUND, "install it");
    return Stream.of(
        arguments(null, ANSWERING, two, "True", "Found", "2 × Tesla P4"),
        arguments(AcceleratorType.NVIDIA, ANSWERING, two, "True", "Found", "2 × Tesla P4"),
        arguments(null, ANSWERING, none, "False", "NoDevices", "knows no card"),
        arguments(null, absent, none, "False", "DriverNotFound", "install it"),
        arguments(AcceleratorType.NVIDIA, absent, two, "False", "DriverNotFound", "install it"),
        arguments(
            AcceleratorType.NVIDIA,
            new Driver.Silent(NOW, "look at the node's kernel log"),
            two,
            "False",
            "DriverHangs",
            "has not answered since 2026-11-30T07:00:00Z: look at the node's kernel log"),
        arguments(
            AcceleratorType.JETSON,
            ANSWERING,
            two,
            "False",
            "WrongType",
            "of type jetson, but has 2 × Tesla P4 (nvidia)"),
        arguments(AcceleratorType.JETSON, absent, none, "False", "NotFound", "type jetson"),
        arguments(AcceleratorType.NONE, ANSWERING, two, "Unknown", "NotWanted", "no accelerator"));
  }

  @ParameterizedTest
  @MethodSource("found")
  void saysWhetherTheAcceleratorIsThere(
      AcceleratorType wanted,
      Driver driver,
      WatchedDevice[] cards,
      String status,
      String reason,
      String inMessage) {
    var condition =
        condition(report(wanted, driver, READY, cards), ConditionType.ACCELERATOR_FOUND);

    assertThat(condition.status()).isEqualTo(status);
    assertThat(condition.reason()).isEqualTo(reason);
    assertThat(condition.message()).contains(inMessage);
    assertThat(condition.observedGeneration()).isEqualTo(3);
    assertThat(condition.lastTransitionTime()).isEqualTo("2026-11-30T07:00:00Z");
  }

  @Test
  void saysWhetherContainersCanBeGivenACard() {
    assertThat(
            condition(report(null, ANSWERING, READY, card("a", 7611)), ConditionType.RUNTIME_READY)
                .status())
        .isEqualTo(Condition.TRUE);
    assertThat(
            condition(
                    report(null, ANSWERING, NOT_READY, card("a", 7611)),
                    ConditionType.RUNTIME_READY)
                .status())
        .isEqualTo(Condition.FALSE);
    assertThat(condition(report(null, ANSWERING, NOT_READY), ConditionType.RUNTIME_READY).status())
        .isEqualTo(Condition.UNKNOWN);
  }

  @Test
  void sharedCardsHaveUnitsAndARest() {
    var rules = Optional.of(ShareRules.of(GpuShareProfileSpec.EMPTY));

    var report = report(null, ANSWERING, READY, rules, card("a", 24259));

    assertThat(report.detected()).isEqualTo(AcceleratorType.NVIDIA);
    assertThat(report.devices())
        .containsExactly(
            new Device("a", 1, "/dev/nvidia1", "Tesla P4", 24259L, 195L, 94, Health.HEALTHY, null));
  }

  @Test
  void cardsThatAreNotSharedHaveNone() {
    assertThat(report(null, ANSWERING, READY, card("a", 24259)).devices().getFirst().units())
        .isNull();
  }

  @Test
  void withoutDevicesNothingIsDetected() {
    assertThat(report(null, ANSWERING, READY).detected()).isNull();
  }

  @Test
  void wordsAloneCanWait() {
    var before = report(null, ANSWERING, NOT_READY, card("a", 7611));
    var others =
        report(null, ANSWERING, new RuntimeFinding(false, "Not", "or that"), card("a", 7611));
    var deed = report(null, ANSWERING, READY, card("a", 7611));

    assertThat(others).isNotEqualTo(before);
    assertThat(others.differsInDeed(before)).isFalse();
    assertThat(deed.differsInDeed(before)).isTrue();
  }
}
