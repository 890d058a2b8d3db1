package io.baetyl.gpu.metrics.watching;

import io.baetyl.gpu.accelerator.DriverException.Reason;
import io.baetyl.gpu.accelerator.FoundDevice;
import io.baetyl.gpu.accelerator.Sample;
import io.baetyl.gpu.accelerator.Vendors;
import io.baetyl.gpu.api.v1alpha1.AcceleratorType;
import io.baetyl.gpu.api.v1alpha1.Device;
import io.baetyl.gpu.api.v1alpha1.Health;
import io.baetyl.gpu.metrics.watching.DriverCall.Answer;
import io.baetyl.gpu.metrics.watching.WatchedDevice.Presence;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** What is known of one device. */
final class Card {
  private final DriverCall<Sample> call;
  private FoundDevice device;
  private CardHealth health = CardHealth.NEW;
  private Optional<Sample> figures = Optional.empty();
  private boolean answering;
  private boolean seen;
  private Presence presence = Presence.UNCERTAIN;

  Card(FoundDevice device, DriverCall<Sample> call) {
    this.device = device;
    this.call = call;
  }

  /** A device as it was reported earlier. */
  static FoundDevice found(Device reported) {
    return new FoundDevice(
        reported.id(),
        reported.index() == null ? 0 : reported.index(),
        reported.path(),
        reported.model(),
        null,
        reported.memoryMiB() == null ? 0 : reported.memoryMiB());
  }

  /** The driver has told what the device is. */
  void identify(FoundDevice latest) {
    device = latest;
    seen = true;
  }

  void ask() {
    call.ask();
  }

  /**
   * @param type the accelerator type, whose driver is asked
   */
  void absorb(Instant now, Duration deadline, AcceleratorType type) {
    call.take().ifPresent(answer -> absorb(answer, now));
    if (DeviceWatch.isLate(call, deadline, now)) {
      answering = false;
      presence = seen ? Presence.PRESENT : Presence.UNCERTAIN;
      health = health.failed(silence(type, call.waitingSince().orElse(now)));
    }
  }

  private void absorb(Answer<Sample> answer, Instant now) {
    switch (answer) {
      case Answer.Told<Sample>(var sample) -> {
        figures = Optional.of(sample);
        answering = true;
        seen = true;
        presence = Presence.PRESENT;
        health = sample.fault().map(health::failed).orElseGet(() -> health.answered(now));
      }
      case Answer.Refused<Sample>(var why) -> {
        answering = false;
        presence = presence(why.reason());
        health = health.failed(why.getMessage());
      }
    }
  }

  private Presence presence(Reason reason) {
    return switch (reason) {
      case DEVICE_LOST -> Presence.PRESENT;
      case DEVICE_REMOVED -> Presence.GONE;
      // Of a device that this process has seen, the loss of the driver is worth telling; one that
      // is only known from an earlier life may have been taken out together with its driver.
      case DRIVER_NOT_FOUND -> seen ? Presence.UNCERTAIN : Presence.GONE;
      case DRIVER_MISMATCH, DRIVER_FAILED -> Presence.UNCERTAIN;
    };
  }

  private static String silence(AcceleratorType type, Instant since) {
    return "The driver has not answered about it since %s: %s; a reboot of the node helps where nothing else does"
        .formatted(since.truncatedTo(ChronoUnit.SECONDS), Vendors.diagnosis(type));
  }

  /** Whether there is anything to tell of it. */
  boolean isKnown() {
    return health.health() != Health.UNKNOWN;
  }

  WatchedDevice picture() {
    return new WatchedDevice(
        device, health.health(), health.reason(), figures, answering, presence);
  }
}
